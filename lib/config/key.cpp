#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/declaration.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"
#include "core/error.hpp"

namespace lockstep::config {
namespace {

std::string_view words(Bound bound) {
  switch (bound) {
    case Bound::at_least:
      return "at least";
    case Bound::at_most:
      return "at most";
    case Bound::above:
      return "above";
    case Bound::below:
      return "below";
  }
  return "";
}

bool holds(const Limit& limit, double value) {
  switch (limit.bound) {
    case Bound::at_least:
      return value >= limit.value;
    case Bound::at_most:
      return value <= limit.value;
    case Bound::above:
      return value > limit.value;
    case Bound::below:
      return value < limit.value;
  }
  return false;
}

void add_limit(Declaration& declaration, Limit limit) {
  expect(declaration.kind == Declaration::Kind::numeric,
         declaration.path + " has a limit, but is no number");
  declaration.limits.push_back(limit);
  declaration.type += fmt::format(", {} {}", words(limit.bound), number_text(limit.value));
}

}  // namespace

Key& Key::at_least(double limit) {
  add_limit(*declaration_, {Bound::at_least, limit});
  return *this;
}

Key& Key::at_most(double limit) {
  add_limit(*declaration_, {Bound::at_most, limit});
  return *this;
}

Key& Key::above(double limit) {
  add_limit(*declaration_, {Bound::above, limit});
  return *this;
}

Key& Key::below(double limit) {
  add_limit(*declaration_, {Bound::below, limit});
  return *this;
}

Key& Key::one_of(std::vector<std::string> choices) {
  expect(declaration_->kind == Declaration::Kind::textual,
         declaration_->path + " has choices, but is no text");
  declaration_->type = fmt::format("{}", fmt::join(choices, " | "));
  declaration_->choices = std::move(choices);
  return *this;
}

Key& Key::required() {
  declaration_->is_required = true;
  return *this;
}

Key& Key::may_change() {
  declaration_->may_change = true;
  return *this;
}

std::optional<std::string> broken_limit(const Declaration& declaration, double value,
                                        std::string_view shown) {
  for (const Limit& limit : declaration.limits) {
    if (!holds(limit, value)) {
      return fmt::format("must be {} {}, not {}", words(limit.bound), number_text(limit.value),
                         shown);
    }
  }
  return std::nullopt;
}

std::optional<std::string> broken_choice(const Declaration& declaration, const std::string& value) {
  const auto& choices = declaration.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end())
    return std::nullopt;
  return fmt::format("must be one of {}, not '{}'", fmt::join(choices, " | "), value);
}

}  // namespace lockstep::config
