// The table of policies and the words by which users choose.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "policy/bubbles/scheduler.hpp"
#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

Choice parsed(std::string_view text, std::size_t domains = 4) {
  const auto choice = parse_choice(text, domains);
  if (!choice) {
    ADD_FAILURE() << text << ": " << choice.error().sentence;
    return parse_choice("auto", domains).value();
  }
  return choice.value();
}

std::string refused(std::string_view text, std::size_t domains = 4) {
  const auto choice = parse_choice(text, domains);
  return choice ? "accepted as " + to_string(choice.value()) : choice.error().sentence;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The names in a table, as an error lists them.
template <class Row>
std::string listed(std::span<const Row> rows) {
  std::string text;
  for (const Row& row : rows) text.append(text.empty() ? "" : ", ").append(row.name);
  return text;
}

std::string listed_with(std::string_view push) {
  std::string text;
  for (const auto& steal : steals()) {
    if (fit(entry(pushes(), push), steal) == Fit::excluded) continue;
    text.append(text.empty() ? "" : ", ").append(steal.name);
  }
  return text;
}

template <class Row>
void expect_rows_complete(std::span<const Row> rows) {
  std::set<std::string_view> names;
  for (const Row& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_LE(row.summary.size(), 80U) << row.name;
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
  }
}

TEST(Registry, EveryRowIsComplete) {
  expect_rows_complete(distributions());
  expect_rows_complete(pushes());
  expect_rows_complete(steals());
  expect_rows_complete(presets());
}

TEST(Registry, EveryRowMakesObjects) {
  for (const auto& row : distributions()) EXPECT_NE(row.make(), nullptr) << row.name;
  for (const auto& row : pushes()) EXPECT_NE(row.make(), nullptr) << row.name;
  for (const auto& row : steals()) EXPECT_NE(row.make(), nullptr) << row.name;
}

TEST(Registry, HasEveryStrategyOfThePaper) {
  std::set<std::string_view> papers;
  for (const auto& row : distributions()) papers.insert(row.paper);
  for (const auto& row : pushes()) papers.insert(row.paper);
  for (const auto& row : steals()) papers.insert(row.paper);
  for (const auto* name : {"cyclicnuma", "randnuma", "pLoc", "pLocNuma", "pNumaW", "pNumaWLoc",
                           "sRand", "sRandNuma", "sProcNuma", "sNumaProc", "sProc", "sNuma"}) {
    EXPECT_TRUE(papers.contains(name)) << name;
  }
}

TEST(Registry, EveryPresetIsAChoice) {
  for (const Preset& preset : presets()) {
    const Choice choice = parsed(preset.name);
    EXPECT_EQ(choice.preset, preset.name);
    EXPECT_EQ(choice.distribution->name, preset.distribution);
    EXPECT_EQ(choice.push->name, preset.push);
    EXPECT_EQ(choice.steal->name, preset.steal);
    EXPECT_EQ(fit(*choice.push, *choice.steal), Fit::balanced) << preset.name;
  }
}

template <class Row>
void expect_documented(std::span<const Row> rows, const std::string& text) {
  for (const Row& row : rows) {
    EXPECT_TRUE(contains(text, "| `" + std::string(row.name) + "`")) << row.name;
  }
}

TEST(Registry, EveryRowIsInTheDocumentation) {
  std::ifstream file(LARES_SOURCE_DIR "/docs/policies.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(text.empty());
  expect_documented(distributions(), text);
  expect_documented(pushes(), text);
  expect_documented(bubble_schedulers(), text);
  expect_documented(steals(), text);
  expect_documented(presets(), text);
}

TEST(Choice, AutoDependsOnTheNumberOfDomains) {
  EXPECT_EQ(describe(parsed("auto", 2)),
            "auto (distribution=cyclic,push=writer-domain-dealt,steal=nearest-then-longest)");
  EXPECT_EQ(describe(parsed("auto", 1)),
            "auto (distribution=first-touch,push=local,steal=nearest)");
  EXPECT_EQ(parsed("auto", 0), parsed("auto", 1));
}

TEST(Choice, PartsNotNamedComeFromAuto) {
  EXPECT_EQ(to_string(parsed("steal=domain-first", 2)),
            "distribution=cyclic,push=writer-domain-dealt,steal=domain-first");
  EXPECT_EQ(to_string(parsed("push=most-bytes", 1)),
            "distribution=first-touch,push=most-bytes,steal=nearest");
}

TEST(Choice, APushThatIgnoresDataHasNoDistributionUnlessOneIsNamed) {
  for (const auto* push : {"local", "local-domain", "root"}) {
    const std::string steal = std::string(push) == "root" ? "central" : "nearest";
    const std::string text = "push=" + std::string(push) + ",steal=" + steal;
    EXPECT_EQ(to_string(parsed(text, 2)), "distribution=first-touch," + text);
    EXPECT_FALSE(wants_homes(parsed(text, 2)));
  }
  const Choice named = parsed("distribution=cyclic,push=local,steal=random", 2);
  EXPECT_EQ(to_string(named), "distribution=cyclic,push=local,steal=random");
  EXPECT_TRUE(wants_homes(named));
  EXPECT_EQ(to_string(parsed("virouleau,push=local")),
            "distribution=cyclic,push=local,steal=domain-first");
  EXPECT_TRUE(wants_homes(parsed("distribution=first-touch,push=writer-domain")));
  EXPECT_FALSE(wants_homes(parsed("stock-like")));
}

TEST(Choice, ADistributionThatCannotActIsAnError) {
  for (const auto* text :
       {"distribution=cyclic,push=root,steal=central", "central,distribution=cyclic"}) {
    EXPECT_EQ(refused(text),
              "policy distribution=cyclic cannot act with push=root, which has one queue for all "
              "domains; the distribution that goes with it is first-touch");
  }
}

TEST(Choice, PairsChangePartsOfAPreset) {
  EXPECT_EQ(to_string(parsed("virouleau,steal=nearest")),
            "distribution=cyclic,push=writer-domain-or-local,steal=nearest");
  EXPECT_EQ(to_string(parsed("locality-queues,distribution=blocked")),
            "distribution=blocked,push=writer-domain,steal=cyclic");
}

TEST(Choice, PapersNamesAreAccepted) {
  EXPECT_EQ(parsed("push=pNumaW,steal=sNumaProc,distribution=randnuma"),
            parsed("distribution=random,push=writer-domain,steal=domain-first"));
}

TEST(Choice, CanonicalTextReadsBack) {
  for (const std::size_t domains : {1U, 2U, 24U}) {
    for (const Preset& preset : presets()) {
      const Choice choice = parsed(preset.name, domains);
      EXPECT_EQ(to_string(choice), preset.name);
      EXPECT_EQ(parsed(to_string(choice), domains), choice);
    }
    for (const auto& d : distributions()) {
      for (const auto& p : pushes()) {
        for (const auto& s : steals()) {
          const Choice choice{.preset = "", .distribution = &d, .push = &p, .steal = &s};
          if (check(choice)) continue;
          EXPECT_EQ(parsed(to_string(choice), domains), choice) << to_string(choice);
        }
      }
    }
  }
}

TEST(Choice, ErrorsNameTheWordAndTheAcceptedOnes) {
  EXPECT_EQ(refused("fastest"),
            "unknown preset \"fastest\" in policy \"fastest\": accepted are " + listed(presets()));
  EXPECT_EQ(refused("push=home"),
            "unknown push \"home\" in policy \"push=home\": accepted are " + listed(pushes()));
  EXPECT_EQ(refused("virouleau,steal=Random"),
            "unknown steal \"Random\" in policy \"virouleau,steal=Random\": accepted are " +
                listed(steals()));
  EXPECT_EQ(refused("distribution="),
            "unknown distribution \"\" in policy \"distribution=\": accepted are " +
                listed(distributions()));
  EXPECT_EQ(refused("pull=local"),
            "unknown key \"pull\" in policy \"pull=local\": accepted are distribution, push, "
            "steal");
  EXPECT_EQ(refused("push=local,push=root"),
            "push is given twice in policy \"push=local,push=root\", as local and as root: "
            "accepted is one push=NAME");
}

TEST(Choice, PresetMustComeFirst) {
  EXPECT_TRUE(
      contains(refused("push=local,virouleau"),
               "preset \"virouleau\" in policy \"push=local,virouleau\" must be the first"));
  EXPECT_TRUE(contains(refused("auto,central"), "must be the first word"));
}

TEST(Choice, EmptyWordsAreErrors) {
  for (const auto* text : {"", ",", "auto,", ",auto", "push=local,,steal=random"}) {
    EXPECT_TRUE(contains(refused(text), "empty word \"\"")) << text;
    EXPECT_TRUE(contains(refused(text), "presets are auto, ")) << text;
  }
}

TEST(Choice, NamesWithoutTheirKeyGetAHint) {
  EXPECT_TRUE(refused("nearest").ends_with("; did you mean steal=nearest"));
  EXPECT_TRUE(refused("random").ends_with("; did you mean distribution=random or steal=random"));
}

TEST(Choice, ExcludedPairsAreErrorsWithAWayOut) {
  EXPECT_EQ(refused("push=writer-domain,steal=random"),
            "policy push=writer-domain puts tasks into places that steal=random never visits; "
            "the steals that go with it are " +
                listed_with("writer-domain"));
  EXPECT_EQ(refused("central,steal=nearest"),
            "policy push=root puts tasks into places that steal=nearest never visits; the steals "
            "that go with it are " +
                listed_with("root"));
  EXPECT_TRUE(contains(refused("steal=random", 2), "steal=random never visits"));
  EXPECT_EQ(refused("steal=random", 1),
            "accepted as distribution=first-touch,push=local,steal=random");
}

TEST(Choice, HostileWordsAreCutAndCleaned) {
  const std::string sentence = refused("push=\033[31m\n\"" + std::string(10000, 'x'));
  EXPECT_LT(sentence.size(), 500U);
  EXPECT_EQ(sentence.find('\033'), std::string::npos);
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
}

TEST(Fit, TellsWhatGoesTogether) {
  const auto fits = [](std::string_view push, std::string_view steal) {
    return to_string(fit(entry(pushes(), push), entry(steals(), steal)));
  };
  EXPECT_EQ(fits("local", "random"), "balanced");
  EXPECT_EQ(fits("local", "domains-only"), "unbalanced") << "owners drain their own";
  EXPECT_EQ(fits("local", "central"), "unbalanced");
  EXPECT_EQ(fits("local-domain", "random"), "excluded");
  EXPECT_EQ(fits("local-domain", "cores-only"), "unbalanced");
  EXPECT_EQ(fits("local-domain", "central"), "excluded");
  EXPECT_EQ(fits("writer-domain", "cyclic"), "balanced");
  EXPECT_EQ(fits("writer-domain", "random-domain"), "balanced");
  EXPECT_EQ(fits("writer-domain-or-local", "domains-only"), "unbalanced");
  EXPECT_EQ(fits("writer-domain-or-local", "random"), "excluded");
  EXPECT_EQ(fits("most-bytes", "nearest"), "balanced");
  EXPECT_EQ(fits("most-bytes", "break-even"), "unbalanced") << "it leaves tasks to their domain";
  EXPECT_EQ(fits("root", "central"), "balanced");
  EXPECT_EQ(fits("root", "nearest"), "excluded");
}

// Anything that users may type: a choice that reads back, or one sentence; nothing else.
TEST(ChoiceFuzz, MutatedTextsGiveAChoiceOrASentence) {
  const std::vector<std::string> seeds = {
      "auto", "virouleau,steal=nearest", "distribution=cyclic,push=writer-domain,steal=cyclic",
      "push=pLoc,steal=sRand", "locality-queues,distribution=blocked"};
  constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz-=,,==ALWSN \0\n\xff\"";
  Random random(11);
  const auto below = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::uint32_t n = random.below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.erase(at, 1 + below(5));
          break;
        case 2:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        default:
          text.insert(at, seeds[below(seeds.size())]);
      }
    }
    const std::size_t domains = random.below(3);
    const auto choice = parse_choice(text, domains);
    if (choice) {
      ++accepted;
      EXPECT_EQ(parsed(to_string(choice.value()), domains), choice.value()) << text;
      EXPECT_FALSE(check(choice.value()).has_value()) << text;
    } else {
      const std::string& sentence = choice.error().sentence;
      EXPECT_GT(sentence.size(), 20U);
      EXPECT_TRUE(std::ranges::all_of(sentence, [](char c) { return c >= ' ' && c < '\x7f'; }));
      EXPECT_TRUE(contains(sentence, "accepted") || contains(sentence, "go with it")) << sentence;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 19000);
}

}  // namespace
}  // namespace lares::policy
