// The picture of a roofline model with several roofs.
#pragma once

#include <string>
#include <vector>

namespace lares::bench {

/// What memory allows: a slope.
struct Slope {
  std::string name;
  double gb_s = 0;  ///< above 0
};

/// What the cores compute: a ceiling.
struct Ceiling {
  std::string name;
  double gflops = 0;  ///< above 0
};

/// A part of the program.
struct Spot {
  std::string name;
  double intensity = 0;  ///< operations a byte, above 0
  double gflops = 0;     ///< that it reaches, above 0
  double roof = 0;       ///< GFLOPS that its own bytes and operations allow
  double measured = 0;   ///< GFLOPS that it was measured at; 0: it was not
};

struct Roofline {
  std::string title;
  std::vector<Slope> slopes;      ///< the first is drawn strongest
  std::vector<Ceiling> ceilings;  ///< highest first
  std::vector<Spot> spots;
};

/// An SVG 1.1 file: both axes logarithmic, slopes up to the highest ceiling, spots with numbers
/// that the legend explains; from a spot a line goes up to its own roof, and what was measured is a
/// circle beside it. Colours follow the viewer's light or dark scheme. Names may hold any text.
std::string to_svg(const Roofline& roofline);

}  // namespace lares::bench
