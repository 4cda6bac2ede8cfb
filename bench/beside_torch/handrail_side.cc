// What handles cost Handrail, as JSON: bench/run.sh sets it beside what bench/peer/torch_bench.cc
// measures of PyTorch on the same archive.
//
//   handrail_side ARCHIVE.ptl FOLDER    FOLDER is for the maps that are made here
//   handrail_side --open MAP HANDLE     opens MAP and looks HANDLE up, in a process of its own
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "handrail/base/mapped_file.h"
#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/log_filter.h"
#include "handrail/symbolize/map_file.h"
#include "handrail/symbolize/map_set.h"
#include "handrail/symbolize/symbolizer.h"
#include "handrail/torch_debug/torch_debug.h"

#include "need.h"

namespace {

using namespace handrail;

constexpr int kRepeats = 9;
constexpr int64_t kLargeMapHandles = 10'000'000;
constexpr size_t kLogBytes = size_t{256} << 20;

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The least of several runs: what the machine's other work added is not ours.
double LeastSeconds(const std::function<void()>& work, int repeats = kRepeats) {
  double least = Seconds(work);
  for (int i = 1; i < repeats; ++i) least = std::min(least, Seconds(work));
  return least;
}

long ResidentKilobytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

// Twice: the first time in a process also waits for the code itself to be loaded.
void OpenAndLookUp(const std::string& path, DebugHandle handle) {
  const long before = ResidentKilobytes();
  bool is_found = false;
  const auto open_and_look_up = [&] {
    const DebugMap map = Need(DebugMap::Open(path));
    std::vector<FrameIds> frames;
    is_found = ReadFrames(map, {}, handle, frames).has_value();
  };
  const double first_seconds = Seconds(open_and_look_up);
  const long resident = ResidentKilobytes() - before;
  const double seconds = Seconds(open_and_look_up);
  fmt::print("{{\"found\":{},\"first_open_us\":{:.1f},\"open_us\":{:.1f},\"rss_kb\":{}}}\n",
             is_found, first_seconds * 1e6, seconds * 1e6, resident);
}

// The archive's own rows, under ten million handles: dense, one unit.
std::vector<std::byte> LargeMap(DebugInfo info) {
  const std::vector<Node> nodes = info.units.front().nodes;
  Unit& unit = info.units.front();
  unit.handles.clear();
  unit.nodes.clear();
  for (int64_t handle = 0; handle < kLargeMapHandles; ++handle) {
    unit.handles.push_back(handle);
    unit.nodes.push_back(nodes[static_cast<size_t>(handle) % nodes.size()]);
  }
  return Need(EncodeDebugMap(info));
}

double FilterBytesPerSecond() {
  const std::string line =
      "2024-03-09T11:42:02.844Z INFO encoder-service: request 3: 8 rows, done in 0.3 ms\n";
  std::string block;
  while (block.size() < (size_t{1} << 18)) block += line;
  MapSet maps;
  const double seconds = LeastSeconds(
      [&] {
        uint64_t bytes = 0;
        LogFilter filter(maps, {}, [&](std::string_view piece) -> Status {
          bytes += piece.size();
          return {};
        });
        while (filter.counts().bytes < kLogBytes) {
          if (!filter.Write(block)) std::exit(1);
        }
        if (!filter.Finish() || bytes != filter.counts().bytes) std::exit(1);
      },
      3);
  return static_cast<double>(kLogBytes) / seconds;
}

void Measure(const std::string& archive_path, const std::string& folder) {
  const double ready = LeastSeconds([&] { Need(OpenMap(archive_path)); });

  const MappedFile file = Need(MappedFile::Open(archive_path));
  TorchDebugInfo torch = Need(ReadTorchDebugInfo(file.bytes(), archive_path));
  const std::vector<std::byte> bytes = Need(EncodeDebugMap(torch.info));
  DebugMapOptions no_source;
  no_source.source_text = false;
  const size_t small_bytes = Need(EncodeDebugMap(torch.info, no_source)).size();
  const std::string map_path = folder + "/model.hdm";
  if (!WriteFileAtomically(map_path, bytes)) std::exit(1);

  const DebugMap map = Need(DebugMap::Open(map_path));
  const std::vector<DebugHandle> handles = torch.info.units.front().handles;
  const auto count = static_cast<double>(handles.size());
  std::vector<FrameIds> frames;
  const double read = LeastSeconds([&] {
    for (DebugHandle handle : handles) {
      if (!ReadFrames(map, {}, handle, frames)) std::exit(1);
    }
  });
  Trace trace;
  size_t text_bytes = 0;
  const double text = LeastSeconds([&] {
    Symbolizer symbolizer(map, TraceStyle::kPytorch);
    text_bytes = 0;
    for (DebugHandle handle : handles) {
      symbolizer.Symbolize(handle, {}, trace);
      text_bytes += trace.text.size();
    }
  });
  const std::string large_path = folder + "/large.hdm";
  if (!WriteFileAtomically(large_path, LargeMap(std::move(torch.info)))) std::exit(1);

  fmt::print(
      "{{\"handles\":{},\"ready_ms\":{:.3f},\"frames_ns\":{:.1f},\"text_ns\":{:.1f},"
      "\"text_bytes\":{:.0f},\"map_bytes\":{},\"small_map_bytes\":{},\"filter_mb_s\":{:.0f},"
      "\"map\":\"{}\",\"large_map\":\"{}\",\"large_handle\":{}}}\n",
      handles.size(), ready * 1e3, read / count * 1e9, text / count * 1e9,
      static_cast<double>(text_bytes) / count, bytes.size(), small_bytes,
      FilterBytesPerSecond() / 1e6, map_path, large_path, kLargeMapHandles / 3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--open") {
    OpenAndLookUp(argv[2], std::strtoll(argv[3], nullptr, 10));
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: handrail_side ARCHIVE.ptl FOLDER\n");
    return 2;
  }
  Measure(argv[1], argv[2]);
}
