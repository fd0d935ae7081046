// How a thread rounds and what it traps: a new thread has that of the one that makes it.
#pragma once

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif
#include <cstdint>

namespace lares::omp {

/// The calling thread's floating-point environment, as far as a program sets it.
class FloatControl {
 public:
  static FloatControl here() noexcept {
    FloatControl control;
#if defined(__x86_64__)
    control.vectors_ = __builtin_ia32_stmxcsr();
    asm volatile("fnstcw %0" : "=m"(control.x87_));
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control.word_));
#else
    std::fegetenv(&control.environment_);
#endif
    return control;
  }
  void apply() const noexcept {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(vectors_);
    asm volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(word_));
#else
    std::fesetenv(&environment_);
#endif
  }

 private:
#if defined(__x86_64__)
  std::uint32_t vectors_ = 0;
  std::uint16_t x87_ = 0;
#elif defined(__aarch64__)
  std::uint64_t word_ = 0;
#else
  std::fenv_t environment_{};
#endif
};

}  // namespace lares::omp
