#pragma once

#include <vector>

#include "config/node.hpp"

namespace lockstep::config {

/// Makes each map's keys single: finds duplicates (the first one stays), and resolves merge keys
/// `<<` as YAML's merge type says: own keys win, of a list of maps the earlier ones.
void make_keys_single(Node& root, std::vector<Finding>& findings);

}  // namespace lockstep::config
