#include "page/stack_tree.h"

#include <gtest/gtest.h>

namespace warpscope::page {
namespace {

struct Fixture {
  model::StringPool pool;
  StackTree tree;
  std::string Json(size_t max_nodes, uint64_t* left_out = nullptr) {
    Names names(pool);
    const Names::Key other = names.Own("other");
    const uint64_t out = tree.Finish(&names, other, max_nodes);
    if (left_out != nullptr) *left_out = out;
    names.Finish();
    report::JsonWriter json;
    tree.Write(&json, names);
    return json.Take();
  }
};

TEST(StackTree, TimesAddUpToTheRoot) {
  Fixture f;
  const auto a = f.pool.Intern("a"), b = f.pool.Intern("b");
  const uint32_t top = f.tree.Child(StackTree::kRoot, a);
  f.tree.Add(top, 10);
  f.tree.Add(f.tree.Child(top, b), 30);
  f.tree.Add(f.tree.Child(top, b), 2);
  EXPECT_EQ(
      f.Json(100),
      "{\"name\": 0, \"value_ns\": 42, \"self_ns\": 0, \"count\": 0, \"children\": [{\"name\": 1, \"value_ns\": 42, "
      "\"self_ns\": 10, \"count\": 1, \"children\": [{\"name\": 2, \"value_ns\": 32, \"self_ns\": 32, \"count\": 2, "
      "\"children\": []}]}]}\n");
}

TEST(StackTree, SmallOnesBecomeOther) {
  Fixture f;
  for (int i = 0; i < 10; ++i)
    f.tree.Add(f.tree.Child(StackTree::kRoot, f.pool.Intern("n" + std::to_string(i))), 100 - i);
  uint64_t left_out = 0;
  const std::string json = f.Json(4, &left_out);
  EXPECT_EQ(left_out, 7U);  // the root and three are shown
  EXPECT_NE(json.find("\"value_ns\": 658, \"self_ns\": 658, \"count\": 7"), std::string::npos) << json;
}

TEST(StackTree, DeepStacksAreCutWithoutRecursion) {
  Fixture f;
  uint32_t node = StackTree::kRoot;
  const auto name = f.pool.Intern("f");
  for (int i = 0; i < 100000; ++i) node = f.tree.Child(node, name);
  f.tree.Add(node, 5);
  uint64_t left_out = 0;
  const std::string json = f.Json(1000000, &left_out);
  EXPECT_EQ(left_out, 100000U - StackTree::kMaxDepth);
  EXPECT_LT(json.size(), 30000U);
}

}  // namespace
}  // namespace warpscope::page
