#include "config/parser.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <utility>

#include "config/syntax_hint.hpp"

namespace lockstep::config {
namespace {

// A few aliases of aliases can name more values than memory holds.
constexpr std::size_t kMostNodes = 100'000;

// Ends the reading; yaml-cpp lets it through.
struct Refusal {
  Finding finding;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string message) {
  throw Refusal{{mark.line + 1, mark.column + 1, std::move(message)}};
}

// The event interface and not YAML::Node: a Node hides which of two equal keys came first, and
// shares aliased values so that a cycle would never end.
class TreeBuilder : public YAML::EventHandler {
 public:
  [[nodiscard]] Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, make(mark, Node::Kind::null), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) refuse(mark, "an alias stands inside the value that it names");
    add(mark, known->second, YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    Node node = make(mark, Node::Kind::scalar);
    node.text = value;
    node.style = tag == "!" ? Node::Style::quoted : Node::Style::plain;
    add(mark, std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(mark, tag);
    open_.push_back({make(mark, Node::Kind::list), mark, anchor, {}, false});
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(mark, tag);
    open_.push_back({make(mark, Node::Kind::map), mark, anchor, {}, false});
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    Entry entry;
    bool has_key;
  };

  static Node make(const YAML::Mark& mark, Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, fmt::format("the tag '{}' is not supported: types come from the keys", tag));
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, std::move(done.node), done.anchor);
  }

  void add(const YAML::Mark& mark, Node node, YAML::anchor_t anchor) {
    nodes_ += node.nodes;
    if (nodes_ > kMostNodes) refuse(mark, fmt::format("more than {} values", kMostNodes));
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.node.nodes += node.nodes;
    if (parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.entry.value = std::move(node);
      parent.node.entries.push_back(std::move(parent.entry));
      parent.has_key = false;
    } else {
      if (node.kind != Node::Kind::scalar) refuse(mark, "a key must be a word");
      parent.entry = {std::move(node.text), node.style, mark.line + 1, {}};
      parent.has_key = true;
    }
  }

  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
  Node root_;
};

}  // namespace

Document parse(std::string_view text) {
  Document document;
  if (auto tabs = find_tabs(text)) {
    document.findings.push_back(std::move(*tabs));
    return document;
  }
  try {
    // yaml-cpp 0.7 takes a quote that is still open at a final line break for closed, and so the
    // rest of the file for a text; after a remark that no line break ends it sees the error.
    std::istringstream stream(fmt::format("{}{}#", text, text.ends_with('\n') ? "" : "\n"));
    YAML::Parser parser(stream);
    TreeBuilder builder;
    TreeBuilder second;
    parser.HandleNextDocument(builder);
    if (parser.HandleNextDocument(second)) {
      document.findings.push_back(
          {second.take_root().line, 0, "a second document begins; only one is read"});
      return document;
    }
    document.root = builder.take_root();
  } catch (const Refusal& refusal) {
    document.findings.push_back(refusal.finding);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.line + 1;
    const int column = error.mark.column + 1;
    document.findings.push_back({line, column, explain_syntax(error.msg, text, line, column)});
  }
  return document;
}

}  // namespace lockstep::config
