// For tests of what is exactly so.
#pragma once

#include <gtest/gtest.h>

#include "base/disorder.hpp"

/// The test says nothing where LARES_DISORDER makes limits tiny and lets attempts fail.
#define LARES_NEEDS_ORDER() \
  if (lares::disorder::is_active()) GTEST_SKIP() << "LARES_DISORDER is set"
