#include "config/schema.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/impl.hpp"
#include "config/value.hpp"
#include "core/error.hpp"

namespace lockstep::config {
namespace {

template <typename T>
void bind(Declaration& declaration, T& target) {
  declaration.type = Codec<T>::kType;
  declaration.kind = Codec<T>::kKind;
  declaration.set = [&declaration, &target](const Node& node) -> std::optional<std::string> {
    Parsed<T> parsed = Codec<T>::read(node);
    if (!parsed.value) return std::move(parsed.error);
    if (auto broken = Codec<T>::check(declaration, *parsed.value)) return broken;
    target = std::move(*parsed.value);
    return std::nullopt;
  };
  declaration.get = [&target] { return Codec<T>::write(target); };
  declaration.read_back = [](const Node& node) -> std::optional<std::string> {
    const Parsed<T> parsed = Codec<T>::read(node);
    if (!parsed.value) return std::nullopt;
    return Codec<T>::write(*parsed.value);
  };
  declaration.default_text = declaration.get();
}

template <typename T>
Declaration& add_to(Declaration& declaration, T& target) {
  bind(declaration, target);
  return declaration;
}

template <typename Text>
Declaration& add_text_to(Declaration& declaration, Text& target) {
  bind(declaration, target);
  declaration.override_syntax = OverrideSyntax::verbatim;
  return declaration;
}

}  // namespace

Declaration& Schema::Impl::declare(std::string path, std::string meaning) {
  expect(path.find('.') != std::string::npos, path + " must be section.key");
  expect(!by_path.contains(path) && !sections.contains(path), path + " is declared twice");
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    expect(!by_path.contains(path.substr(0, dot)), path + " lies below a key");
    sections.insert(path.substr(0, dot));
  }
  declarations.push_back(std::make_unique<Declaration>());
  Declaration& declaration = *declarations.back();
  declaration.path = std::move(path);
  declaration.meaning = std::move(meaning);
  by_path.emplace(declaration.path, &declaration);
  return declaration;
}

Schema::Schema() : impl_(std::make_unique<Impl>()) {}
Schema::~Schema() = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;

Key Schema::add(std::string path, bool& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::int64_t& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, double& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::string& target, std::string meaning) {
  return Key(add_text_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::filesystem::path& target, std::string meaning) {
  return Key(add_text_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::optional<std::int64_t>& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::optional<double>& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::vector<std::string>& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::vector<double>& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}
Key Schema::add(std::string path, std::vector<std::int64_t>& target, std::string meaning) {
  return Key(add_to(impl_->declare(std::move(path), std::move(meaning)), target));
}

Key Schema::add_custom(std::string path, std::string type, std::string meaning,
                       std::function<std::optional<std::string>(const std::string&)> set,
                       std::function<std::string()> get) {
  Declaration& declaration = impl_->declare(std::move(path), std::move(meaning));
  declaration.type = std::move(type);
  declaration.override_syntax = OverrideSyntax::verbatim;
  declaration.set = [set = std::move(set)](const Node& node) -> std::optional<std::string> {
    const Parsed<std::string> text = Codec<std::string>::read(node);
    return text.value ? set(*text.value) : text.error;
  };
  declaration.get = [get = std::move(get)] { return as_yaml(get()); };
  declaration.read_back = [](const Node& node) -> std::optional<std::string> {
    const Parsed<std::string> text = Codec<std::string>::read(node);
    if (!text.value) return std::nullopt;
    return as_yaml(*text.value);
  };
  declaration.default_text = declaration.get();
  return Key(declaration);
}

std::string Schema::where(std::string_view path) const {
  const auto found = impl_->by_path.find(path);
  expect(found != impl_->by_path.end(), fmt::format("{} is no declared key", path));
  return found->second->given_at.value_or(impl_->file);
}

bool Schema::is_given(std::string_view path) const {
  const auto found = impl_->by_path.find(path);
  expect(found != impl_->by_path.end(), fmt::format("{} is no declared key", path));
  return found->second->given_at.has_value();
}

void throw_if_any(const std::vector<Problem>& problems) {
  if (problems.empty()) return;
  std::vector<std::string> lines;
  for (const Problem& problem : problems)
    lines.push_back(fmt::format("{}: {}", problem.where, problem.message));
  throw Error(ErrorKind::usage, fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace lockstep::config
