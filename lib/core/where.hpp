#pragma once

namespace lockstep {

/// A place in the source, taken at the call. std::source_location would do, but clang-tidy 14
/// cannot parse libstdc++'s.
struct Where {
  const char* file = "";
  int line = 0;

  static constexpr Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace lockstep
