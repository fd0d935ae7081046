// Memory for objects of which each thread has one, and into which the others look.
#pragma once

#include <cstddef>

namespace lares::runtime {

/// `bytes` of malloc, aligned to 128, that begin elsewhere in their page than what was asked for
/// before: 384 bytes further on. Caches choose the places of a line by its address within a page,
/// and have 8 to 16 for those that agree in it: in a larger team, whoever looks at the same word of
/// each worker would miss again and again, although nobody has written to it. Ends the program if
/// there is no memory. Any thread.
void* take_coloured(std::size_t bytes) noexcept;
/// Takes what take_coloured() gave, or nullptr. Any thread.
void give_back_coloured(void* memory) noexcept;

}  // namespace lares::runtime
