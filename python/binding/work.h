// A use case on a thread of its own, so that the interpreter stays free: other Python threads run,
// progress is handed to Python on the thread that called, and an interrupt from the keyboard ends
// the work early.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "binding.h"

namespace opscope::python {

class Work {
 public:
  Work(const Surroundings& surroundings, nb::object progress) : progress_(std::move(progress)) {
    context_.surroundings = surroundings;
    context_.stop = &stop_;
    if (!progress_.is_none()) context_.progress = [this](const Progress& at) { Post(at); };
  }

  // `use_case(context)` gives a Result. What it throws (memory) is thrown here. Raises what Python
  // raised meanwhile, KeyboardInterrupt included, after the work has ended.
  template <class UseCase>
  auto Run(const UseCase& use_case) {
    std::optional<decltype(use_case(context_))> result;
    std::exception_ptr thrown;
    std::thread worker([&] {
      try {
        result.emplace(use_case(context_));
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_one();
    });
    const bool raised = !Attend();
    {
      const nb::gil_scoped_release released;
      worker.join();
    }
    if (raised) throw nb::python_error();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
  }

 private:
  void Post(const Progress& at) {
    const std::lock_guard lock(mutex_);
    if (news_.size() > kMostNews) news_.pop_front();
    news_.push_back(at);
    changed_.notify_one();
  }

  // Until the work has ended; false when Python raised: the error is set, the work told to stop.
  bool Attend() {
    for (bool ended = false; !ended;) {
      std::deque<Progress> news;
      {
        const nb::gil_scoped_release released;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kPatience, [&] { return ended_ || !news_.empty(); });
        news.swap(news_);
        ended = ended_;
      }
      if (PyErr_CheckSignals() != 0 || !Tell(news)) {
        stop_ = true;
        return false;
      }
    }
    return true;
  }

  bool Tell(const std::deque<Progress>& news) {
    for (const Progress& at : news) {
      const nb::object seconds = at.seconds_left ? nb::cast(*at.seconds_left) : nb::none();
      const nb::object median = at.median_ns ? nb::cast(*at.median_ns) : nb::none();
      try {
        progress_(at.phase.c_str(), at.done, at.of, median, seconds);
      } catch (nb::python_error& error) {
        error.restore();
        return false;
      }
    }
    return true;
  }

  static constexpr std::chrono::milliseconds kPatience{50};
  static constexpr std::size_t kMostNews = 64;

  nb::object progress_;
  Context context_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Progress> news_;  // guarded by mutex_
  bool ended_ = false;         // guarded by mutex_
};

}  // namespace opscope::python
