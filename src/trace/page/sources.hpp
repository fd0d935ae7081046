// The page without its data, as embed.cmake puts it together from page.html and the files it names.
#pragma once

#include <span>
#include <string_view>

namespace lares::trace::page {

/// In pieces, in order: what stands before the data, and what stands after it.
std::span<const std::string_view> before_data() noexcept;
std::span<const std::string_view> after_data() noexcept;

}  // namespace lares::trace::page
