#include "core/log.hpp"

#include <unistd.h>

#include <mutex>

namespace lockstep::log {
namespace {

struct Speaker {
  std::mutex mutex;
  int rank = -1;
  int size = 0;
  std::string host;
  bool progress_open = false;
};

// The process's stderr has one identity; see the header.
Speaker& speaker() {
  static Speaker instance;
  return instance;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody is left to tell
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_line(Speaker& who, std::string_view mark, std::string_view line) {
  std::string out;
  out.reserve(line.size() + 64);
  if (who.progress_open) out += "\n";
  who.progress_open = false;
  out += mark;
  out += line;
  out += '\n';
  write_all(out);
}

void from_root(std::string_view mark, std::string_view line) {
  Speaker& who = speaker();
  const std::scoped_lock lock(who.mutex);
  if (who.rank <= 0) write_line(who, mark, line);
}

void from_this(std::string_view mark, std::string_view line) {
  Speaker& who = speaker();
  const std::scoped_lock lock(who.mutex);
  const std::string rank =
      who.size > 1 ? fmt::format("[rank {} on {}] ", who.rank, who.host) : std::string();
  write_line(who, rank, fmt::format("{}{}", mark, line));
}

}  // namespace

void set_identity(int rank, int size, std::string host) {
  Speaker& who = speaker();
  const std::scoped_lock lock(who.mutex);
  who.rank = rank;
  who.size = size;
  who.host = std::move(host);
}

void info(std::string_view line) { from_root("", line); }
void warn(std::string_view line) { from_root("warning: ", line); }
void all(std::string_view line) { from_this("", line); }
void error(std::string_view line) { from_this("error: ", line); }

void progress(std::string_view line) {
  Speaker& who = speaker();
  const std::scoped_lock lock(who.mutex);
  if (who.rank > 0) return;
  who.progress_open = true;
  write_all(fmt::format("\r\033[K{}", line));
}

bool is_terminal() noexcept { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace lockstep::log
