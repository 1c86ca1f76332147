#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What a configuration text says, before any key is known: a tree in which each value knows its
/// line.
namespace lockstep::config {

struct Entry;

struct Node {
  enum class Kind { null, scalar, list, map };
  enum class Style { plain, quoted };

  Kind kind = Kind::null;
  Style style = Style::plain;
  int line = 0;                ///< from 1
  std::string text;            ///< of a scalar
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a map, in the order of the text
  std::size_t nodes = 1;       ///< in this tree, itself included
};

struct Entry {
  std::string key;
  Node::Style style = Node::Style::plain;
  int line = 0;
  Node value;
};

/// Something wrong in a text. Syntax errors have a column; line 0 is the text as a whole.
struct Finding {
  int line = 0;
  int column = 0;
  std::string message;
};

}  // namespace lockstep::config
