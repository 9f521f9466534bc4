// How the program uses its heap.
#pragma once

namespace opscope::cli {

// A large model makes hundreds of megabytes of small values. The heap grows in steps of 256 MiB, of
// which the first may use huge pages, and freed memory stays with the process: the chain of 100,000
// nodes of bench/make_models.py is inspected in 0.40 instead of 0.55 s. Call before a model is
// read. Does nothing where the C library has no such settings, or address space is rationed.
void PrepareHeap();

}  // namespace opscope::cli
