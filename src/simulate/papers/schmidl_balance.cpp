// Schmidl 2016, chapter 4 and Table 5.3: load balancing against locality.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

// Threads on four sockets, and on all sixteen.
constexpr std::size_t four_sockets = 32;
constexpr std::size_t all_sockets = 128;

// What a core of the Xeon Phi works through, in MB/s: makes the static loop of Figure 4.2.
constexpr const char* balance_on_phi = "balance:gb=7,kernel=87.6";
constexpr std::size_t phi_threads = 59;

class Balance {
 public:
  Balance(Runner& runner, Sheet& sheet) : runner_(runner), sheet_(sheet) {}

  void add_loops() {
    const Runs fixed = runner_.run("balance", "static", four_sockets);
    const Runs dynamic = runner_.run("balance", "dynamic", four_sockets);
    const Baseline base = sheet_.add(
        "Figure 4.3", "4 sockets, static",
        {.basis = Basis::fitted, .simulated = fixed.seconds(), .quantity = "static loop"});
    sheet_.add("Figure 4.3", "4 sockets, dynamic",
               {.simulated = dynamic.seconds(), .baseline = &base});
    sheet_.state(
        {.place = "4.1.1",
         .statement = "on four sockets dynamic beats static",
         .claims = {below(dynamic.seconds(), fixed.seconds())},
         .evidence = number(dynamic.seconds(), " s against ") + number(fixed.seconds(), " s")});
    const Runs dynamic_16 = runner_.run("balance", "dynamic", all_sockets);
    // Four times the sockets of the static loop, a quarter of its time.
    base_ = sheet_.add("Figure 4.4", "16 sockets, static",
                       {.basis = Basis::fitted,
                        .simulated = runner_.seconds("balance", "static", all_sockets),
                        .quantity = "static loop"});
    sheet_.add("Figure 4.4", "16 sockets, dynamic",
               {.simulated = dynamic_16.seconds(),
                .baseline = &base_,
                .why = "the loss of the fabric under many flows is the one that GNU's tasks need"});
    dynamic_ = dynamic_16.seconds();
    sheet_.add("section 4.1", "4 sockets, dynamic, remote", {.simulated = dynamic.remote_share()});
    sheet_.add("section 4.1", "16 sockets, dynamic, remote",
               {.simulated = dynamic_16.remote_share(),
                .why = "whoever is near the data is faster, and so fetches more often"});
  }

  void add_stealing() {
    const auto add = [&](const char* what, const char* policy) {
      const Values seconds = runner_.seconds("balance", policy, all_sockets);
      sheet_.add("Figure 4.6", what,
                 {.basis = Basis::predicted,
                  .simulated = seconds,
                  .baseline = &base_,
                  .why = "the fabric between boards is a little too slow for those who steal"});
      return seconds;
    };
    random_ = add("random stealing", "push=local,steal=random");
    const Values near = add("near stealing", "push=local,steal=near");
    const Values most_loaded = add("most-loaded stealing", "push=local,steal=most-loaded");
    state_order({most_loaded, random_, near});
  }

  void add_tasks() {
    const Values local = runner_.seconds("balance:order=front", "stock-like", all_sockets);
    const Values central = runner_.seconds("balance:order=front", "central", all_sockets);
    sheet_.add("Figure 4.9", "tasks, Intel",
               {.basis = Basis::predicted,
                .simulated = local,
                .baseline = &base_,
                .why = "as random stealing"});
    sheet_.add("Figure 4.9", "tasks, GNU", {.basis = Basis::fitted, .simulated = central});
    sheet_.state({.place = "4.3.4",
                  .statement = "thread-local queues do as well as random stealing",
                  .basis = Basis::predicted,
                  .claims = {about(local, random_)},
                  .evidence = number(local, " s against ") + number(random_, " s")});
    sheet_.state({.place = "4.3.4",
                  .statement = "a central queue is several times slower",
                  .basis = Basis::fitted,
                  .claims = {below(local, central, limits::several)},
                  .evidence = number(central, " s against ") + number(local, " s"),
                  .why = "the fabric's loss, whose slope was fitted to this"});
  }

  // A central queue hands tasks to whoever comes: the shares are those of the team's threads. What
  // creators run at once because the queue is full is left out, as the thesis leaves it out.
  void add_gnu_locality() {
    const Runs runs = runner_.run("balance:order=front", "central", four_sockets);
    constexpr std::array<const char*, 3> names = {"on the creator's core", "on its socket",
                                                  "on another socket"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Values share = runs.of([i](const Outcome& outcome) {
        const auto& seconds = outcome.queued_seconds;
        return seconds[i] / (seconds[0] + seconds[1] + seconds[2]);
      });
      sheet_.add("Table 5.3", names[i],
                 {.simulated = share,
                  .quantity = "Table 5.3",
                  .why = "whoever is near the data is faster, and so fetches more often"});
    }
  }

 private:
  // The thesis' scheduler is one of loops. `tasks` is it as tasks that each thread makes of its
  // static part; beside it stands a loop by the rules of `lares run --loops numa`. Both must have
  // the order.
  void state_order(const std::array<Values, 3>& tasks) {
    const auto loop = [this](const char* steal) {
      return runner_.seconds("balance", std::string("numa,steal=") + steal, all_sockets);
    };
    const std::array<Values, 3> loops{loop("most-loaded"), loop("random"), loop("nearest")};
    std::vector<Answers> claims{below(base_.simulated, dynamic_)};
    for (const auto& each : {tasks, loops}) {
      claims.insert(claims.end(), {below(each[0], each[1]), below(each[1], each[2]),
                                   below(each[2], base_.simulated)});
    }
    const auto three = [](const std::array<Values, 3>& each) {
      return number(each[0], " s, ") + number(each[1], " s, ") + number(each[2], " s");
    };
    sheet_.state(
        {.place = "4.2.3",
         .statement = "most-loaded is best, then random, then near, then static, then dynamic",
         .basis = Basis::predicted,
         .claims = std::move(claims),
         .evidence = "tasks " + three(tasks) + "; loops " + three(loops) + "; " +
                     number(base_.simulated, " s, ") + number(dynamic_, " s")});
  }

  Runner& runner_;
  Sheet& sheet_;
  Baseline base_;      // the static loop on all sockets
  Values dynamic_{0};  // and the dynamic one
  Values random_{0};
};

std::optional<Error> add_phi(const FindMachine& find, std::uint32_t seeds, Sheet& sheet) {
  const auto loaded = load(find, "xeon-phi");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  const Baseline base = sheet.add(
      "Figure 4.2", "Xeon Phi, static",
      {.basis = Basis::fitted, .simulated = runner.seconds(balance_on_phi, "static", phi_threads)});
  sheet.add("Figure 4.2", "Xeon Phi, dynamic",
            {.simulated = runner.seconds(balance_on_phi, "dynamic", phi_threads),
             .baseline = &base,
             .why = "the model balances bytes; something besides bytes costs time there"});
  return runner.error;
}

}  // namespace

Result<Reproduction> reproduce_balance(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "bull-bcs-16s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Sheet sheet("Schmidl 2016");
  Balance balance(runner, sheet);
  balance.add_loops();
  balance.add_stealing();
  balance.add_tasks();
  balance.add_gnu_locality();
  if (runner.error) return *runner.error;
  if (auto problem = add_phi(find, seeds, sheet)) return *problem;
  return sheet.take();
}

}  // namespace lares::simulate::papers
