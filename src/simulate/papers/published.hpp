// What the papers printed: published.json, which is part of the command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lares::simulate::papers {

/// One printed figure, or a range that a text gives.
struct Published {
  std::string paper;  ///< "Broquedis 2010"
  std::string place;  ///< "Table 8"
  std::string what;   ///< "team 2"
  std::string unit;
  double low = 0;
  double high = 0;
  std::string left_out;  ///< why nothing is held against it; empty if something is

  [[nodiscard]] double middle() const noexcept { return (low + high) / 2; }
};

/// A table, a figure or a section.
struct Place {
  std::string name;
  std::string page;     ///< where the copy at hand has pages
  std::string about;    ///< in our words
  std::string wording;  ///< the paper's words that decide how its figures are read
  std::string left_out;
  std::vector<Published> figures;
};

struct Paper {
  std::string name;
  std::string title;
  std::vector<Place> places;
};

/// All of them, in the order of the papers. Read once; several threads may ask.
const std::vector<Paper>& publications();

/// Ends the program if there is no such figure: the caller's names are part of the program, too.
const Published& published(std::string_view paper, std::string_view place, std::string_view what);

}  // namespace lares::simulate::papers
