// Every kernel is of an operator that PyTorch has, and takes what its schema says.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "graph/operators.h"
#include "kernels/families.h"

namespace handrail::kernels {
namespace {

// Operators of the interpreter, which have no schema: name and number of arguments.
struct Structural {
  std::string_view name;
  int argument_count;
};
constexpr Structural kStructural[] = {
    {"prim::TupleUnpack", 1},
    {"prim::unchecked_cast", 1},
};

void ExpectSchema(graph::CompilationUnit& unit, const KernelRow& row) {
  for (const Structural& structural : kStructural) {
    if (structural.name != row.name) continue;
    EXPECT_EQ(row.argument_count, structural.argument_count) << row.name;
    return;
  }
  const size_t colons = row.name.find("::");
  ASSERT_NE(colons, std::string_view::npos) << row.name;
  const size_t dot = std::min(row.name.find('.', colons), row.name.size());
  const std::string_view overload = row.name.substr(std::min(dot + 1, row.name.size()));
  const graph::SchemaId id =
      graph::FindOperator(unit, unit.strings.Intern(row.name.substr(0, dot)), overload);
  ASSERT_FALSE(id.is_none()) << "no schema of " << row.name;
  const graph::Schema& schema = unit.schema(id);
  if (schema.takes_more) {
    EXPECT_EQ(row.argument_count, KernelRow::kAnyCount) << row.name;
  } else {
    EXPECT_EQ(row.argument_count, static_cast<int>(schema.arguments.size()))
        << row.name << ", whose schema is another's";
  }
}

TEST(KernelSchemas, EveryKernelTakesWhatItsSchemaSays) {
  graph::CompilationUnit unit;
  const std::vector<KernelRow> rows = AllKernels();
  EXPECT_GT(rows.size(), 400U);
  for (const KernelRow& row : rows) ExpectSchema(unit, row);
}

}  // namespace
}  // namespace handrail::kernels
