// Virouleau 2016, "Amélioration des stratégies d'ordonnancement sur architectures NUMA à l'aide des
// dépendances de données".
#include <algorithm>
#include <array>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

// The pairs of Figure 3, by their numbers; all with cyclic distribution.
constexpr std::array<const char*, 8> strategies = {
    "",
    "distribution=cyclic,push=local,steal=random",
    "distribution=cyclic,push=local-domain,steal=random-domain",
    "distribution=cyclic,push=writer-domain-or-local,steal=cores-only",
    "distribution=cyclic,push=writer-domain-or-local,steal=domain-first",
    "distribution=cyclic,push=writer-domain-or-local,steal=domains-only",
    "distribution=cyclic,push=writer-domain-or-local,steal=core-first",
    "distribution=cyclic,push=writer-domain,steal=random-domain"};
constexpr const char* random_distribution = "distribution=random,push=local,steal=random";
constexpr const char* libgomp = "distribution=first-touch,push=root,steal=central";
// The size of Figures 2 and 3, and the paper's "from here on" in Figure 4; it does not say which
// sizes are small.
constexpr std::size_t large = 32768;
constexpr const char* blind =
    "as printed, sRandNuma visits domains at random, its own like any other; and transfers cost "
    "the model less than that machine";

std::string size_of(std::size_t n) { return "n=" + std::to_string(n); }

class Factorisations {
 public:
  Factorisations(Runner& runner, std::size_t n) : runner_(runner), n_(n) {
    for (std::size_t i = 1; i < strategies.size(); ++i) {
      time_[i] = runner.seconds("cholesky:" + size_of(n), strategies[i]);
    }
  }

  void judge_distribution() {
    const std::string workload = "cholesky:" + size_of(n_);
    const Values serial = runner_.seconds(workload + ",init=serial", strategies[1]);
    state("Figure 2", "parallel initialisation is decisive",
          {below(time_[1], serial, limits::much)},
          "parallel " + number(time_[1], " s, serial ") + number(serial, " s"));
    const Values lottery = runner_.seconds(workload, random_distribution);
    state("Figure 2", "cyclic and random distribution differ little", {about(lottery, time_[1])},
          "cyclic " + number(time_[1], " s, random ") + number(lottery, " s"));
    const Values central = runner_.seconds(workload, libgomp);
    state("Figures 2 and 3", "with it, even naive strategies beat libGOMP",
          {below(time_[1], central)},
          "strategy 1 " + number(time_[1], " s, a central queue ") + number(central, " s"),
          "what 192 threads at one lock cost is assumed to be little");
  }

  void judge_strategies() {
    std::string all;
    for (std::size_t i = 1; i < strategies.size(); ++i) {
      all += (i == 1 ? "strategies 1 to 7: " : ", ") + number(time_[i]);
    }
    all += " s";
    const Values naive = least(time_[1], least(time_[2], time_[7]));
    const Values others = least(naive, least(time_[3], time_[5]));
    state("Figure 3", "to push where data is written (7) beats to push locally (2)",
          {below(time_[7], time_[2])}, all, blind);
    state("Figure 3", "with pNumaWLoc, one level (3, 5) loses to naive strategies",
          {below(naive, time_[3]), below(naive, time_[5])}, all, blind);
    state("Figure 3", "both levels (4, 6) beat all others",
          {below(time_[4], others), below(time_[6], others)}, all,
          "transfers cost the model less than that machine");
    state("Figure 3", "the two that see both levels (4, 6) are equivalent",
          {about(time_[4], time_[6])}, all);
  }

  /// One limit for both: whether 4 is clearly faster than the better of 1 and 7.
  void judge_size(const std::string& application, std::size_t n) {
    const std::string workload = application + ":" + size_of(n);
    const Values one = runner_.seconds(workload, strategies[1]);
    const Values four = runner_.seconds(workload, strategies[4]);
    const Values seven = runner_.seconds(workload, strategies[7]);
    const Values others = least(one, seven);
    sheet_.state({.place = "Figure 4, " + application + " " + size_of(n),
                  .statement = n >= large ? "sNumaProc+pNumaWLoc (4) is clearly best from 32768 on"
                                          : "no clear advantage of (4) for small matrices",
                  .basis = Basis::predicted,
                  .claims = {n >= large ? below(four, others, limits::clear) : about(four, others)},
                  .evidence = "strategies 1, 4, 7: " + number(one, " s, ") + number(four, " s, ") +
                              number(seven, " s")});
  }

  Reproduction take() { return sheet_.take(); }

 private:
  void state(const char* place, const char* statement, std::vector<Answers> claims,
             const std::string& evidence, const char* why = "") {
    sheet_.state({.place = place,
                  .statement = statement,
                  .basis = Basis::predicted,
                  .claims = std::move(claims),
                  .evidence = size_of(n_) + ": " + evidence,
                  .why = why});
  }
  Runner& runner_;
  Sheet sheet_{"Virouleau 2016"};
  std::size_t n_;
  std::vector<Values> time_ = std::vector<Values>(strategies.size(), Values(0));
};

}  // namespace

Result<Reproduction> reproduce_virouleau(const FindMachine& find, std::uint32_t seeds,
                                         const std::vector<std::size_t>& sizes) {
  const auto loaded = load(find, "sgi-uv2000-24s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Factorisations all(runner, std::min(sizes.back(), large));
  all.judge_distribution();
  all.judge_strategies();
  for (const char* application : {"cholesky", "qr"}) {
    for (const std::size_t n : sizes) all.judge_size(application, n);
  }
  if (runner.error) return *runner.error;
  return all.take();
}

}  // namespace lares::simulate::papers
