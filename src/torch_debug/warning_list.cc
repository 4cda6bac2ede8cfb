#include "torch_debug/warning_list.h"

#include <fmt/format.h>

#include "archive/quoted.h"

namespace handrail {
namespace {

// Stops a file of many damaged records from filling memory and screen.
constexpr size_t kWarningsMax = 200;

}  // namespace

Error* WarningList::NewWarning(std::string_view record, Fault fault) {
  if (!warnings_.empty() && last_key_.second == fault && last_key_.first == record) {
    ++warnings_[last_row_].count;
    return nullptr;
  }
  std::pair<std::string, Fault> key(std::string(record), fault);
  if (const auto row = rows_.find(key); row != rows_.end()) {
    ++warnings_[row->second].count;
    last_key_ = std::move(key);
    last_row_ = row->second;
    return nullptr;
  }
  if (warnings_.size() == kWarningsMax) {
    ++left_out_count_;
    return nullptr;
  }
  last_row_ = warnings_.size();
  last_key_ = key;
  rows_.emplace(std::move(key), last_row_);
  warnings_.push_back(Warning{Error{ErrorCode::kCorrupt, Error::kNoOffset, {}}, 1});
  return &warnings_.back().error;
}

Error WarningList::InRecord(std::string_view record, Error error) const {
  return std::move(error).In(fmt::format("{}: record {}", file_name_, Quoted(record)));
}

void WarningList::Add(std::string_view record, Fault fault, Error error) {
  if (Error* warning = NewWarning(record, fault)) *warning = InRecord(record, std::move(error));
}

void WarningList::AddWhole(std::string_view record, Fault fault, Error error) {
  // The container tells of some faults when it is opened, and again when the record is read.
  for (const Warning& warning : warnings_) {
    if (warning.error.message == error.message) return;
  }
  if (Error* warning = NewWarning(record, fault)) *warning = std::move(error);
}

std::vector<Error> WarningList::Take() {
  std::vector<Error> result;
  for (Warning& warning : warnings_) {
    if (warning.count > 1) {
      warning.error.message += fmt::format(" (and {} more like it)", warning.count - 1);
    }
    result.push_back(std::move(warning.error));
  }
  if (left_out_count_ > 0) {
    result.push_back(Error{ErrorCode::kLimit, Error::kNoOffset,
                           fmt::format("{}: {} more warnings left out after the first {}",
                                       file_name_, left_out_count_, kWarningsMax)});
  }
  warnings_.clear();
  rows_.clear();
  left_out_count_ = 0;
  return result;
}

}  // namespace handrail
