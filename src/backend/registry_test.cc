#include "handrail/backend/registry.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail {
namespace {

using testing::ElementsAre;

class EmptyBackend final : public Backend {
 public:
  explicit EmptyBackend(bool is_available = true) : is_available_(is_available) {}
  bool IsAvailable() const override { return is_available_; }
  Result<values::Value> Preprocess(const ModuleToLower&, const values::Value&,
                                   const GenerateDebugHandles&) const override {
    return values::Value("blob");
  }
  Result<std::vector<CompiledMethod>> Compile(const values::Value&,
                                              const values::Value&) const override {
    return std::vector<CompiledMethod>{};
  }
  std::vector<values::Value> Execute(const values::Value&,
                                     std::span<const values::Value>) const override {
    return {};
  }

 private:
  bool is_available_;
};

TEST(BackendRegistryTest, FindsWhatWasRegistered) {
  BackendRegistry registry;
  const auto backend = std::make_shared<const EmptyBackend>();
  ASSERT_TRUE(registry.Register("one", backend));
  ASSERT_TRUE(registry.Register("another_1", std::make_shared<const EmptyBackend>()));
  EXPECT_EQ(*registry.Find("one"), backend);
  EXPECT_EQ(*registry.FindAvailable("one"), backend);
  EXPECT_THAT(registry.names(), ElementsAre("another_1", "one"));
}

TEST(BackendRegistryTest, ANameIsTakenOnce) {
  BackendRegistry registry;
  const auto first = std::make_shared<const EmptyBackend>();
  ASSERT_TRUE(registry.Register("one", first));
  const Status again = registry.Register("one", std::make_shared<const EmptyBackend>());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_EQ(again.error().message, "backend 'one' is already registered");
  EXPECT_EQ(*registry.Find("one"), first);
}

TEST(BackendRegistryTest, AnUnknownNameNamesThoseThereAre) {
  BackendRegistry registry;
  EXPECT_EQ(registry.Find("x").error().message, "backend 'x' is not registered (registered: none)");
  ASSERT_TRUE(registry.Register("b", std::make_shared<const EmptyBackend>()));
  ASSERT_TRUE(registry.Register("a", std::make_shared<const EmptyBackend>()));
  const auto found = registry.FindAvailable("x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(found.error().message, "backend 'x' is not registered (registered: a, b)");
}

TEST(BackendRegistryTest, ABackendThatIsNotAvailableCanLowerButNotRun) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.Register("far", std::make_shared<const EmptyBackend>(false)));
  const auto to_lower = registry.Find("far");
  ASSERT_TRUE(to_lower);
  EXPECT_TRUE((*to_lower)->Preprocess({}, values::Value(), nullptr));
  const auto to_run = registry.FindAvailable("far");
  ASSERT_FALSE(to_run);
  EXPECT_EQ(to_run.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(to_run.error().message, "backend 'far' is not available on this machine");
}

TEST(BackendRegistryTest, RefusesNamesThatAreNoPartOfAClassName) {
  BackendRegistry registry;
  for (const char* name : {"", "1", "a.b", "a b", "a-b", "\xc3\xa9"}) {
    const Status status = registry.Register(name, std::make_shared<const EmptyBackend>());
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(registry.Register("a", nullptr).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(registry.names().empty());
}

TEST(BackendRegistryTest, ManyThreadsRegisterAndFind) {
  constexpr int kThreadCount = 8;
  constexpr int kNameCount = 50;
  BackendRegistry registry;
  std::atomic<int> registered = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreadCount; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kNameCount; ++i) {
        const std::string name = "b" + std::to_string(i);
        if (registry.Register(name, std::make_shared<const EmptyBackend>())) ++registered;
        EXPECT_TRUE(registry.FindAvailable(name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registered, kNameCount);
  EXPECT_EQ(registry.names().size(), size_t{kNameCount});
}

TEST(BackendErrorTest, HandlesAreInnermostFirst) {
  BackendError error("nothing to run", 7);
  error.Push(3);
  EXPECT_THAT(error.handles(), ElementsAre(7, 3));
  EXPECT_STREQ(error.what(), "nothing to run");
}

}  // namespace
}  // namespace handrail
