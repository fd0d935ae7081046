// What a tool may ask of the runtime.
#pragma once

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/ompt_abi.hpp"
#include "host/openmp/tools/records.hpp"

namespace lares::omp::tools {

/// Whose places and processors the tool is told of. Before the tool's initialisation.
void set_stock(Stock& stock) noexcept;
/// What ompt_get_task_info answers of a task; each of the pointers may be null.
int describe_task(TaskRecord& task, int* flags, ompt::Data** data, ompt::Frame** frame,
                  ompt::Data** region_data, int* thread_num) noexcept;
/// The entry point of that name, or nullptr. Any thread.
ompt::Callback look_up(const char* name) noexcept;

}  // namespace lares::omp::tools
