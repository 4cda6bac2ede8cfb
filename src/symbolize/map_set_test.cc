#include "handrail/symbolize/map_set.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/symbolize/map_set_symbolizer.h"

#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr Hash128 kBuildA{0x1a2b3c4d'00000000, 1};
constexpr Hash128 kBuildA2{0x1a2b3c4d'00000000, 2};  // the same short form
constexpr Hash128 kBuildB{0xffff0000'00000000, 3};

class MapSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "handrail_map_set_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A map of one handle, 5, whose node is called `node`.
  std::string Write(const std::string& name, Hash128 build, std::string_view node = "aten::add",
                    const DebugMapOptions& options = {}) {
    TestMap maker("__torch__.Outer", build);
    maker.Add(5, node, maker.Range("inner.py", kInnerText, "x + y"), {}, "__torch__.Outer.forward");
    return WriteBytes(name, AsText(maker.Make(options).bytes()));
  }
  std::string WriteBytes(const std::string& name, std::string_view bytes) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(WriteFileAtomically(path, AsBytes(bytes)));
    return path.string();
  }
  void Add(const std::string& path) {
    const Status status = maps_.Add(path);
    ASSERT_TRUE(status) << status.error().message;
  }
  // The trace of handle 5, or why not.
  std::string Ask(const std::string& build) {
    MapSetSymbolizer symbolizer(maps_);
    const DebugHandle handle = 5;
    std::optional<BuildName> name;
    if (!build.empty()) name = BuildName::FromHex(build);
    source_ = symbolizer.Symbolize(name, {&handle, 1}, trace_);
    return trace_.unknown.empty()
               ? trace_.hierarchy
               : std::string(ToString(trace_.unknown.front().why.reason)) + trace_.text;
  }

  fs::path folder_;
  MapSet maps_;
  MapSetSymbolizer::Source source_;
  Trace trace_;
};

TEST(BuildName, ShortAndFull) {
  const std::string full = kBuildA.ToHex();
  EXPECT_FALSE(BuildName::FromHex(full)->is_short);
  EXPECT_TRUE(BuildName::FromHex(full)->Matches(kBuildA));
  EXPECT_FALSE(BuildName::FromHex(full)->Matches(kBuildA2));
  EXPECT_TRUE(BuildName::FromHex("1A2b3c4d")->Matches(kBuildA2));
  EXPECT_FALSE(BuildName::FromHex("1a2b3c4d")->Matches(kBuildB));
  EXPECT_EQ(BuildName::FromHex("1a2b3c4d")->ToHex(), "1a2b3c4d");
  for (const char* bad : {"", "1a2b3c4", "1a2b3c4d0", "1a2b3c4g"}) {
    EXPECT_FALSE(BuildName::FromHex(bad)) << bad;
  }
}

TEST_F(MapSetTest, ANamedMapAnswers) {
  Add(Write("a.map", kBuildA));
  const std::string hierarchy = "top(Outer)::forward.aten::add";
  EXPECT_EQ(Ask(""), hierarchy);
  EXPECT_EQ(Ask(kBuildA.ToHex()), hierarchy);
  EXPECT_EQ(Ask("1a2b3c4d"), hierarchy);
  EXPECT_EQ(source_.build_id, kBuildA);
  EXPECT_EQ(source_.map, maps_.named().front());
}

TEST_F(MapSetTest, AnotherBuildIsRefusedAndBothAreSaid) {
  const std::string path = Write("a.hdm", kBuildA);
  Add(path);
  EXPECT_EQ(Ask(kBuildB.ToHex()),
            "other-build  <debug handle 5: of another build than this map: it is of build "
            "ffff0000000000000000000000000003, " +
                path + " is of build 1a2b3c4d000000000000000000000001>\n");
  EXPECT_EQ(source_.map, nullptr);
}

TEST_F(MapSetTest, NoMapAtAll) {
  EXPECT_THAT(Ask(""), HasSubstr("no-map  <debug handle 5: no map was found"));
  EXPECT_THAT(Ask(kBuildA.ToHex()), HasSubstr("no-map"));
}

TEST_F(MapSetTest, FoldersAreSearchedByBuild) {
  Write("deep/er/a.anything", kBuildA);
  Write("b.hdm", kBuildB, "aten::mul");
  const std::string text = WriteBytes("notes.txt", "not a map");
  const std::string empty = WriteBytes("empty.hdm", "");
  Add(folder_.string());
  EXPECT_TRUE(maps_.tried().empty());  // until it is asked
  EXPECT_EQ(Ask(kBuildB.ToHex()), "top(Outer)::forward.aten::mul");
  EXPECT_EQ(Ask("1a2b3c4d"), "top(Outer)::forward.aten::add");
  EXPECT_THAT(Ask(Hash128{1, 1}.ToHex()), HasSubstr("none of the 4 files searched is of it"));
  // A handle without a build could be of any map in the folder.
  EXPECT_THAT(Ask(""), HasSubstr("no-map"));
  const std::vector<MapSet::Tried> tried = maps_.tried();
  ASSERT_EQ(tried.size(), 4u);
  EXPECT_EQ(tried[0].outcome, "build " + kBuildB.ToHex());
  EXPECT_EQ(tried[2].path, empty);
  EXPECT_THAT(tried[2].outcome, HasSubstr("empty file"));
  EXPECT_EQ(tried[3].path, text);
  EXPECT_THAT(tried[3].outcome, HasSubstr("notes.txt"));
}

TEST_F(MapSetTest, AShortBuildThatFitsTwoIsAmbiguous) {
  Write("a.hdm", kBuildA);
  Write("b.hdm", kBuildA2);
  Add(folder_.string());
  const std::string answer = Ask("1a2b3c4d");
  EXPECT_THAT(answer, HasSubstr("ambiguous"));
  EXPECT_THAT(answer, HasSubstr(kBuildA.ToHex()));
  EXPECT_THAT(answer, HasSubstr(kBuildA2.ToHex()));
  EXPECT_EQ(Ask(kBuildA.ToHex()), "top(Outer)::forward.aten::add");
}

TEST_F(MapSetTest, MapsOfOneBuildThatAgreeAreOne) {
  Write("a_without_text.hdm", kBuildA, "aten::add",
        {.source_text = false, .path_map = {{"inner.py", "/src/inner.py"}}});
  const std::string with_text = Write("b.hdm", kBuildA);
  Add(folder_.string());
  EXPECT_EQ(Ask(kBuildA.ToHex()), "top(Outer)::forward.aten::add");
  EXPECT_EQ(source_.map->path, with_text);
  EXPECT_THAT(trace_.text, HasSubstr("return x + y"));
}

TEST_F(MapSetTest, MapsOfOneBuildThatDifferAreAmbiguous) {
  // The bytecode, and so the build, does not change when a comment moves the lines.
  Write("a.hdm", kBuildA, "aten::add");
  Write("b.hdm", kBuildA, "aten::mul");
  Add(folder_.string());
  const std::string answer = Ask(kBuildA.ToHex());
  EXPECT_THAT(answer, HasSubstr("ambiguous"));
  EXPECT_THAT(answer, HasSubstr("a.hdm"));
  EXPECT_THAT(answer, HasSubstr("b.hdm"));
}

TEST_F(MapSetTest, OfSeveralNamedMapsTheOneThatHasTheHandleAnswers) {
  TestMap maker("__torch__.Other", kBuildB);
  maker.Add(6, "aten::mul", maker.builder.AddGap(RangeGap::kNull));
  Add(WriteBytes("b.hdm", AsText(maker.Make().bytes())));
  Add(Write("a.hdm", kBuildA));
  EXPECT_EQ(Ask(""), "top(Outer)::forward.aten::add");
  Add(Write("c.hdm", kBuildA2, "aten::sub"));
  EXPECT_THAT(Ask(""), HasSubstr("ambiguous"));
}

TEST_F(MapSetTest, ArchivesAreRecognizedByContent) {
  fs::copy_file(fs::path(HANDRAIL_SOURCE_DIR) / "test/data/double.ptl", folder_ / "double.hdm");
  const Result<OpenedMap> opened = OpenMap(folder_ / "double.hdm");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->kind, MapFileKind::kPytorchArchive);
  const std::vector<Hash128> builds = BuildIdsOf(opened->map);
  ASSERT_EQ(builds.size(), 1u);
  Add(folder_.string());
  Ask(builds.front().ToHex());
  ASSERT_NE(source_.map, nullptr);
  EXPECT_EQ(source_.map->path, (folder_ / "double.hdm").string());
}

TEST_F(MapSetTest, FilesThatAreNoMaps) {
  EXPECT_FALSE(maps_.Add(folder_ / "missing.hdm"));
  EXPECT_FALSE(maps_.Add(WriteBytes("text.hdm", "not a map")));
  EXPECT_FALSE(maps_.Add(WriteBytes("empty.hdm", "")));
  EXPECT_TRUE(maps_.named().empty());
}

}  // namespace
}  // namespace handrail
