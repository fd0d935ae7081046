// `lares run`: starts a program with the library preloaded, stands in for it, and sums up.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stats_file.hpp"
#include "analysis/summary.hpp"
#include "base/file_size_limit.hpp"
#include "cli/commands.hpp"
#include "cli/launch/binding.hpp"
#include "cli/launch/environment.hpp"
#include "cli/launch/moves.hpp"
#include "cli/launch/pages.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/record.hpp"
#include "cli/launch/session.hpp"
#include "cli/launch/settings.hpp"
#include "cli/launch/source_places.hpp"
#include "cli/launch/stall.hpp"
#include "cli/launch/trace.hpp"
#include "cli/launch/words.hpp"
#include "cli/output.hpp"
#include "cli/preload_library.hpp"
#include "machine/discover.hpp"
#include "machine/machine.hpp"
#include "policy/registry.hpp"
#include "runtime/counters.hpp"

namespace lares::cli {
namespace {

/// As expect(), for what keeps the program from being run.
template <class T>
T expect_of_program(Result<T> result, const std::string& word, const Environment& environment) {
  if (!result) throw UserMistake{result.error(), start_failure_status(word, environment)};
  return std::move(result.value());
}

void warn(const RunSettings& settings, std::string_view sentence) {
  if (!settings.quiet) fmt::print(stderr, "lares: {}\n", sentence);
}

/// Where the summary goes. Opened before the program starts, so that a wrong name costs no run.
class SummaryFile {
 public:
  explicit SummaryFile(const std::optional<SummaryTarget>& target) {
    if (!target || target->file.empty()) return;
    name_ = target->file;
    file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (file_ < 0) {
      throw UserMistake{
          {fmt::format("--summary: cannot write \"{}\": {}", name_, std::strerror(errno))}};
    }
  }
  SummaryFile(const SummaryFile&) = delete;
  SummaryFile& operator=(const SummaryFile&) = delete;
  ~SummaryFile() {
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] bool is_standard_error() const noexcept { return file_ < 0; }

  void write_text(std::string_view text) const {
    const int file = is_standard_error() ? STDERR_FILENO : file_;
    while (!text.empty()) {
      const ssize_t written = write(file, text.data(), text.size());
      if (written <= 0) return complain();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  void complain() const {
    if (is_standard_error()) return;  // there is nowhere left to say it
    fmt::print(stderr, "lares: cannot write \"{}\": {}\n", name_, std::strerror(errno));
  }

  std::string name_;
  int file_ = -1;
};

std::string preload_library(const char* name, std::string_view needed_by) {
  std::string library = find_preload_library(name);
  if (!library.empty()) return library;
  throw UserMistake{{fmt::format("run: cannot find {}{}; build or install Lares again",
                                 fmt::join(preload_library_candidates(name), " or "), needed_by)}};
}

/// True if the user names an OMPT tool (docs/ompt.md).
bool names_tool(const Environment& environment) {
  std::string use = environment.get("OMP_TOOL").value_or("enabled");
  std::transform(use.begin(), use.end(), use.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return use != "disabled" && !environment.get("OMP_TOOL_LIBRARIES").value_or("").empty();
}

/// What the settings need in the program.
std::vector<std::string> preload_libraries(const RunSettings& settings,
                                           const Environment& environment) {
  std::vector<std::string> libraries;
  if (names_tool(environment)) {
    libraries.push_back(preload_library(watched_library_name, ", which OMP_TOOL_LIBRARIES needs"));
  } else if (settings.loops.numa) {
    libraries.push_back(preload_library(loops_library_name, ", which --loops needs"));
  } else {
    libraries.push_back(preload_library(preload_library_name, ""));
  }
  // It also knows the program's large pieces.
  const bool rebinds = settings.bind == BindChoice::by_data && !user_binds(environment);
  const bool places = !settings.placement.empty() && settings.placement != "first-touch";
  if (places || rebinds) {
    libraries.push_back(preload_library(placement_library_name, rebinds
                                                                    ? ", which --bind by-data needs"
                                                                    : ", which --placement needs"));
  }
  return libraries;
}

/// LD_PRELOAD with `libraries` first and what the user has there behind them. What a `lares run`
/// around this one put there goes: two schedulers in one process would both answer its calls.
std::string preload_list(const Environment& environment,
                         const std::vector<std::string>& libraries) {
  std::string list = fmt::format("{}", fmt::join(libraries, ":"));
  const std::string before = environment.get("LD_PRELOAD").value_or("");
  constexpr std::string_view separators = ": ";
  for (std::size_t start = 0; start < before.size();) {
    const std::size_t end = std::min(before.find_first_of(separators, start), before.size());
    const std::string entry = before.substr(start, end - start);
    if (!entry.empty() && !is_preload_library(entry)) list += ":" + entry;
    start = end + 1;
  }
  return list;
}

/// AddressSanitizer ends programs in which anything is loaded before it, unless told not to care.
std::string sanitizer_options(const Environment& environment) {
  const std::string option = "verify_asan_link_order=0";
  const auto before = environment.get("ASAN_OPTIONS");
  return before ? option + ":" + *before : option;
}

/// The library under a name that LD_PRELOAD can hold: it has no way to quote blanks and colons.
std::string preloadable(const std::string& library, const Session& session) {
  if (library.find_first_of(": ") == std::string::npos) return library;
  std::string link = session.path() + library.substr(library.rfind('/'));
  return symlink(library.c_str(), link.c_str()) == 0 ? link : library;
}

/// The finest of the levels that would give more than one domain; "" if none does.
std::string finer_level(const machine::Machine& machine) {
  using machine::Level;
  for (const Level level : {Level::numa, Level::l3, Level::l2}) {
    const auto nodes =
        std::count_if(machine.tree.begin(), machine.tree.end(),
                      [&](const auto& node) { return node.level == level && !node.cores.empty(); });
    if (nodes > 1) return std::string(machine::level_name(level));
  }
  return "";
}

analysis::Setting setting_of(const RunSettings& settings, const Binding& binding) {
  const machine::Machine& machine = settings.machine;
  analysis::Setting setting;
  setting.domains = machine.domains_with_cores();
  setting.cores = machine.cores.size();
  setting.level = machine::level_name(machine.domain_level);
  if (setting.domains == 1) setting.finer_level = finer_level(machine);
  setting.distribution = settings.policy.distribution->name;
  setting.push = settings.policy.push->name;
  setting.steal = settings.policy.steal->name;
  setting.push_uses_data = settings.policy.push->make()->uses_data();
  setting.bound = binding.bound;
  return setting;
}

/// What the launcher itself left to the stock runtime, judged from the program's file.
std::optional<std::string> note_on_program(const std::string& path, const std::string& word,
                                           Preload preload, bool reported) {
  if (reported) return std::nullopt;
  switch (preload) {
    case Preload::works:
      if (!carries_openmp_runtime(path)) return std::nullopt;
      return fmt::format(
          "left {} to its own OpenMP runtime, which is linked statically; link it "
          "dynamically",
          word);
    case Preload::ignored:
      if (!mentions_openmp(path)) return std::nullopt;
      return fmt::format("left {} as it is, because it is linked statically; link it dynamically",
                         word);
    case Preload::privileged:
      if (!mentions_openmp(path)) return std::nullopt;
      return fmt::format(
          "left {} as it is, because it is setuid, setgid or has capabilities; run "
          "a copy without them",
          word);
    case Preload::not_wanted:
      if (!mentions_openmp(path)) return std::nullopt;
      return fmt::format(
          "left {} as it is, because it is built for another architecture or C "
          "library than Lares",
          word);
  }
  return std::nullopt;
}

/// What decides how an OpenMP program runs.
std::vector<std::pair<std::string, std::string>> openmp_variables(const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "LARES_"}) {
    for (const std::string& name : environment.names_with(prefix)) {
      if (name != "LARES_SESSION") list.emplace_back(name, environment.get(name).value_or(""));
    }
  }
  return list;
}

void describe_machine(const machine::Machine& machine, analysis::RunAbout& about) {
  about.machine = machine.name;
  about.level = machine::level_name(machine.domain_level);
  about.cpus = static_cast<std::uint32_t>(machine.cores.size());
  const std::size_t domains = machine.domains_with_cores();
  for (std::size_t from = 0; from < domains; ++from) {
    about.cores_of_domain.push_back(static_cast<std::uint32_t>(machine.domains[from].cores.size()));
    auto& row = about.distances.emplace_back();
    for (std::size_t to = 0; to < domains && machine.distances.size != 0; ++to) {
      row.push_back(machine.distances.at(DomainId{from}, DomainId{to}));
    }
  }
}

bool kernel_balances_pages() {
  std::ifstream file("/proc/sys/kernel/numa_balancing");
  int value = 0;
  return (file >> value) && value != 0;
}

/// One run, from its settings to its summary.
class Run {
 public:
  Run(RunSettings settings, std::vector<std::string> words, Environment environment)
      : settings_(std::move(settings)),
        words_(std::move(words)),
        environment_(std::move(environment)),
        path_(expect_of_program(find_program(words_.front(), environment_), words_.front(),
                                environment_)),
        preload_(inspect_program(path_)),
        libraries_(preload_libraries(settings_, environment_)),
        file_(settings_.summary),
        record_(settings_.record),
        trace_(settings_.trace) {}

  /// Runs the program and tells how it went.
  analysis::Ending operator()() {
    if (const auto sentence = unknown_variables(environment_)) warn(settings_, *sentence);
    Result<Session> session = Session::create(environment_, machine::to_compact(settings_.machine));
    if (!session) {
      warn(settings_, session.error().sentence);
      return run_it().ending;
    }
    if (file_size_limit() < runtime::counters_file_bytes) {
      warn(settings_,
           fmt::format("files may have {} at most (ulimit -f), so nothing is counted and "
                       "there is no summary; records end where a file may not grow",
                       human_bytes({file_size_limit()})));
    }
    prepare(session.value());
    if (record_.is_wanted() || trace_.is_wanted()) {
      ask_for_records(session.value(), settings_.record_limit, begin_moves());
    }
    for (const std::string& note : trace_.begin(session.value(), about())) warn(settings_, note);
    ask_to_explain(session.value());
    const Lookout stalls = look_for_stalls(session.value());
    begin_pages(session.value());
    const Finished finished = run_it(pages_ ? look_at_pages(stalls) : stalls);
    if (pages_) pages_->finish();
    pages_.reset();
    if (trace_.is_wanted()) finish_moves_file(trace_.path());
    if (stalls.look) stalls.look();  // a page may have come with the end
    const std::string& records = trace_.is_wanted() ? trace_.path() : session.value().path();
    record_notes_ = record_.write(records, words_);
    explain(session.value());
    report(finished, analysis::read_session(session.value().path()));
    return finished.ending;
  }

 private:
  Finished run_it(const Lookout& lookout = {}) const {
    return expect_of_program(run_program(path_, words_, environment_, lookout), words_.front(),
                             environment_);
  }

  /// Threads that share a core: libgomp's would spin for a time slice while the one they wait for
  /// needs the core. So many rounds still last until a thread that is made has come.
  void spin_shortly() {
    if (environment_.get("GOMP_SPINCOUNT") || environment_.get("OMP_WAIT_POLICY")) return;
    environment_.set("GOMP_SPINCOUNT", "3000");
  }

  /// libomp keeps the threads of outermost teams for their master and deals others out anew: they
  /// would run where another master's were bound. So each master keeps its own, as deep as teams
  /// are bound. Not where their number is limited: those that wait would count. Nor where teams
  /// within teams hardly fit: what waits looks for work for 200 ms, on cores that others need.
  void keep_inner_teams() {
    constexpr std::size_t fewest_cores = 8;
    if (!environment_.get("LARES_BOUND") || settings_.machine.cores.size() < fewest_cores) return;
    constexpr const char* key = "KMP_HOT_TEAMS_MAX_LEVEL";
    for (const char* said :
         {key, "OMP_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT",
          "KMP_ALL_THREADS", "KMP_TEAMS_THREAD_LIMIT"}) {
      if (environment_.get(said)) return;
    }
    environment_.set(key, "4");
  }

  /// A bubble scheduler needs threads that the library binds.
  void place_teams() {
    if (settings_.bubbles.empty()) return environment_.unset("LARES_BUBBLES");
    environment_.set("LARES_BUBBLES", settings_.bubbles);
    if (environment_.get("LARES_BOUND")) return spin_shortly();
    if (binding_.note) return;
    binding_.note =
        "--bubbles places no team, because OMP_PLACES, OMP_PROC_BIND or a variable like "
        "them says where threads run; with --bind spread Lares does";
  }

  void prepare(const Session& session) {
    binding_ = bind_threads(environment_, settings_.machine, settings_.bind);
    keep_inner_teams();
    place_teams();
    environment_.set("LARES_SESSION", session.path());
    environment_.set("LARES_POLICY", policy::to_string(settings_.policy));
    environment_.set("LARES_LOOPS", policy::to_string(settings_.loops));
    if (settings_.placement.empty()) {
      environment_.unset("LARES_PLACEMENT");
    } else {
      environment_.set("LARES_PLACEMENT", settings_.placement);
    }
    // The others are for this command; a `lares run` inside the program starts afresh.
    environment_.unset("LARES_SUMMARY");
    environment_.unset("LARES_RECORD");
    environment_.unset("LARES_TRACE");
    environment_.unset("LARES_STALL");
    environment_.unset("LARES_LEARN");
    if (preload_ != Preload::not_wanted) {
      std::vector<std::string> names;
      for (const auto& library : libraries_) names.push_back(preloadable(library, session));
      environment_.set("LD_PRELOAD", preload_list(environment_, names));
      environment_.set("ASAN_OPTIONS", sanitizer_options(environment_));
    }
  }

  /// Lets the program's processes be watched, and prints the pages that they leave.
  Lookout look_for_stalls(const Session& session) {
    if (settings_.stall.count() == 0) return {};
    if (!ask_to_watch(session.path(), settings_.stall)) {
      warn(settings_, "--stall: cannot write into the session's folder, so nothing is watched");
      return {};
    }
    constexpr std::chrono::milliseconds period{200};
    return {period, [this, folder = session.path()] {
              for (const auto& [process, page] : take_stall_pages(folder)) {
                if (settings_.quiet) continue;
                fmt::print(stderr, "{}",
                           readable_page(page, process, folder, settings_.machine.name,
                                         fmt::format("{}", fmt::join(words_, " "))));
              }
            }};
  }

  /// The bytes that the file of moves takes.
  [[nodiscard]] Bytes begin_moves() const {
    if (!trace_.is_wanted()) return {};
    const auto taken = make_moves_file(trace_.path(), settings_.record_limit);
    if (taken) return taken.value();
    warn(settings_, "--trace: " + taken.error().sentence);
    return {};
  }

  /// Last before the program starts: the kernel notes what this thread starts from here on.
  void begin_pages(const Session& session) {
    if (!settings_.pages) return;
    auto pages = PageTrace::begin(trace_.path(), session.path(), settings_.machine);
    if (pages) {
      pages_.emplace(std::move(pages.value()));
      return;
    }
    pages_refused_ = pages.error().sentence;
    warn(settings_, fmt::format("--pages: {}, so this trace has no pages", pages_refused_));
  }

  /// Often, and for stalls as rarely as these need it.
  Lookout look_at_pages(const Lookout& stalls) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds period{5};
    return {period, [this, stalls, next = Clock::now() + stalls.period]() mutable {
              pages_->look();
              if (!stalls.look || Clock::now() < next) return;
              stalls.look();
              next = Clock::now() + stalls.period;
            }};
  }

  void ask_to_explain(const Session& session) const {
    if (!settings_.explain) return;
    const std::ofstream file(session.path() + "/explain");
    if (!file) warn(settings_, "--explain: cannot write into the session's folder");
  }

  void explain(const Session& session) {
    if (!settings_.explain) return;
    explanation_ = analysis::read_explanation(session.path());
    for (analysis::Construct& each : explanation_->constructs) {
      each.place = source_place(each.file, each.offset);
    }
  }

  void report(const Finished& finished, analysis::SessionStats session) {
    analysis::Report report;
    report.explanation = std::move(explanation_);
    report.command = words_;
    report.ending = finished.ending;
    report.machine = settings_.machine.name;
    report.setting = setting_of(settings_, binding_);
    report.policy = policy::to_string(settings_.policy);
    report.policy_words = policy::describe(settings_.policy);
    report.binding = binding_.how;
    report.run = analysis::merge(std::move(session.processes));
    report.notes = notes(finished.pid, report.run, session.damaged);
    finish_trace(report);
    print(report);
  }

  /// As far as it is known before the program runs.
  [[nodiscard]] analysis::RunAbout about() const {
    analysis::RunAbout about;
    about.command = words_;
    about.policy = policy::to_string(settings_.policy);
    about.loops = policy::to_string(settings_.loops);
    about.placement = settings_.placement;
    about.binding = binding_.how;
    about.lares_version = LARES_VERSION;
    about.started = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
    about.environment = openmp_variables(environment_);
    describe_machine(settings_.machine, about);
    about.numa_balancing = kernel_balances_pages();
    about.pages = settings_.pages;
    about.pages_refused = pages_refused_;
    return about;
  }

  void finish_trace(analysis::Report& report) {
    if (!trace_.is_wanted()) return;
    analysis::RunAbout about = this->about();
    about.exit_status = report.ending.exit_status;
    about.signal = report.ending.signal;
    std::set<std::string> runtimes;
    for (const auto& process : report.run.processes) {
      if (process.runtime.empty()) continue;
      runtimes.insert(process.runtime);
      const auto commas = std::count(process.runtime.begin(), process.runtime.end(), ',');
      about.runtimes = std::max(about.runtimes, static_cast<std::uint32_t>(commas) + 1);
    }
    about.openmp = fmt::format("{}", fmt::join(runtimes, ", "));
    about.processor_wait = report.run.waiting_share();
    about.notes = report.notes;
    for (const std::string& note : trace_.finish(std::move(about))) report.notes.push_back(note);
  }

  std::vector<std::string> notes(pid_t pid, const analysis::RunStats& run, std::size_t damaged) {
    std::vector<std::string> list;
    const bool reported = std::any_of(
        run.processes.begin(), run.processes.end(),
        [&](const auto& process) { return process.pid == static_cast<std::uint32_t>(pid); });
    if (auto note = note_on_program(path_, words_.front(), preload_, reported)) {
      list.push_back(analysis::printable(*note));
    }
    for (const std::string& note : record_notes_) list.push_back(analysis::printable(note));
    if (binding_.note && run.used_openmp()) list.push_back(*binding_.note);
    if (settings_.nothing_to_learn && run.used_openmp()) {
      list.emplace_back("--learn: there is one memory node, so no data is far from anybody");
    }
    if (damaged > 0) {
      list.push_back(
          fmt::format("{} process{} left damaged counters, which are not in these "
                      "figures",
                      damaged, damaged == 1 ? "" : "es"));
    }
    return list;
  }

  void print(const analysis::Report& report) const {
    if (settings_.summary && settings_.summary->json) {
      return file_.write_text(analysis::summary_json(report));
    }
    if (settings_.quiet && file_.is_standard_error()) return;
    const std::size_t most = file_.is_standard_error() ? analysis::max_summary_lines : 1000;
    std::string text;
    for (const std::string& line : analysis::summary_text(report, most)) text += line + "\n";
    if (report.explanation) {
      for (const std::string& line : analysis::explanation_text(*report.explanation)) {
        text += line + "\n";
      }
    }
    if (text.empty() && settings_.summary) {
      text = "lares: no OpenMP parallel region or task was seen\n";
    }
    file_.write_text(text);
  }

  RunSettings settings_;
  std::vector<std::string> words_;
  Environment environment_;
  std::string path_;
  Preload preload_;
  std::vector<std::string> libraries_;  ///< to be preloaded, in this order
  SummaryFile file_;
  RecordFile record_;
  TraceFolder trace_;
  std::optional<PageTrace> pages_;  ///< while the program runs
  std::string pages_refused_;       ///< why there are none
  std::vector<std::string> record_notes_;
  std::optional<analysis::Explanation> explanation_;
  Binding binding_;
};

/// Where nothing can be known of the machine, the program runs as if this command were not there.
analysis::Ending run_without_lares(const std::string& why, const std::vector<std::string>& words,
                                   const Environment& environment, bool quiet) {
  if (!quiet && environment.get("LARES_QUIET").value_or("0") != "1") {
    fmt::print(stderr, "lares: {}; the program runs without Lares\n", why);
  }
  const std::string& word = words.front();
  const std::string path = expect_of_program(find_program(word, environment), word, environment);
  return expect_of_program(run_program(path, words, environment), word, environment).ending;
}

[[noreturn]] void end_as(const analysis::Ending& ending) {
  if (ending.signal == 0) throw ExitStatus{ending.exit_status};
  die_of(ending.signal);
  throw ExitStatus{128 + ending.signal};  // as a shell says it: the first process of a container
}

void run(const RunOptions& options) {
  std::vector<std::string> words = unprotect_program(options.program);
  if (words.empty()) {
    throw UserMistake{{"run: no program was named; write lares run [options] -- ./app arguments"}};
  }
  guard_standard_streams();
  const Environment environment = Environment::current();
  if (options.machine.machine.empty() && !environment.get("LARES_MACHINE")) {
    if (const auto refusal = machine::why_no_process()) {
      end_as(run_without_lares(refusal->sentence, words, environment, options.quiet));
    }
  }
  RunSettings settings = expect(settle(options, environment));
  check_distinct({{"--record", settings.record},
                  {"--summary", settings.summary ? settings.summary->file : std::string()}});
  const analysis::Ending ending = Run(std::move(settings), std::move(words), environment)();
  end_as(ending);
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run an OpenMP program so that its tasks stay with their data");
  add_machine_options(*command, options->machine);
  command
      ->add_option("--policy", options->policy,
                   "Where tasks go and whom idle threads visit: a preset, or push=NAME,steal=NAME; "
                   "`lares policies` lists them")
      ->type_name("SPEC");
  command
      ->add_option("--loops", options->loops,
                   "Who hands out the iterations of dynamic and guided loops: stock (default), "
                   "numa[,steal=nearest|most-loaded|random][,chunk=N][,moldable], or auto, which "
                   "is numa where "
                   "there are several domains")
      ->type_name("HOW");
  command
      ->add_option("--bind", options->bind,
                   "How threads are bound: close, spread, by-data (as spread, and threads that "
                   "share work out by their numbers go once to where their data is), none, as-is "
                   "(default: as OMP_PLACES and OMP_PROC_BIND say, else spread)")
      ->type_name("HOW");
  command
      ->add_option("--bubbles", options->bubbles,
                   "Who places the threads of teams, nested ones included: cache, memory, spread, "
                   "gang (`lares policies` lists them), or off (default)")
      ->type_name("NAME");
  command
      ->add_option(
          "--placement", options->placement,
          "Where the program's data goes: bring (default: where it is first touched, and once to "
          "the tasks that name it or have pointers to it), first-touch, interleave, cyclic:SIZE, "
          "blocked, repair[:SWEEPS], which lets data that one thread initialised go to the threads "
          "that use it, or follow[:TURNS], which lets data go once to the domains that use it "
          "again and again")
      ->type_name("HOW");
  command
      ->add_option("--summary", options->summary,
                   "Write the summary to FILE in this format (text or json) instead of standard "
                   "error; - is standard error")
      ->type_name("FORMAT FILE")
      ->expected(1, 2);
  command
      ->add_option(
          "--record", options->record,
          "Write the program's task graph to FILE, for `lares simulate file:FILE`; with --loops "
          "numa its loops, too")
      ->type_name("FILE");
  command
      ->add_option("--trace", options->trace,
                   "Write what every thread does into a new folder DIR, for `lares report DIR`")
      ->type_name("DIR");
  command->add_flag("--pages", options->pages,
                    "With --trace: note which thread touches which pages of memory first, and "
                    "where; needs kernel.perf_event_paranoid at 2 or less, and no privilege");
  command
      ->add_option("--stall", options->stall,
                   "When no task starts or ends for SECONDS while some are open, say on standard "
                   "error what everybody waits for; the program goes on")
      ->type_name("SECONDS");
  command
      ->add_option(
          "--record-limit", options->record_limit,
          "What --record and --trace may write until the program's end, about 24 bytes a task "
          "and 50 more if it names data; what comes later is missing (default: 128M)")
      ->type_name("SIZE");
  command->add_flag("--learn", options->learn,
                    "Watch a few pages of the program's data, and let threads and data that are "
                    "apart come together, once: --bind by-data --placement follow, where neither "
                    "is given");
  command->add_flag("--explain", options->explain,
                    "Say of each construct that makes tasks, by its line of the source, how its "
                    "data was located and how many tasks met it at home, at first and later");
  command->add_flag("--quiet", options->quiet, "Say nothing on standard error");
  command->add_option("PROGRAM", options->program, "The program and its arguments")
      ->type_name("ARGUMENTS")
      ->expected(-1);
  command->footer(
      "The program's input, output and exit status stay as they are. Status 126, 127: it cannot be "
      "run,\nor is not there.\n"
      "Example: lares run --policy virouleau --summary=json run.json -- ./app 4096");
  command->callback([options] { run(*options); });
}

}  // namespace lares::cli
