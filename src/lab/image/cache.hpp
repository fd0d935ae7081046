// What the lab keeps between runs: $XDG_CACHE_HOME/lares/lab.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "lab/image/file.hpp"
#include "lab/image/progress.hpp"
#include "lab/image/signals.hpp"

namespace lares::lab {

/// Names a content. Good against accidents, not against forgers: FNV-1a, 64 bits.
class ContentHash {
 public:
  /// The length counts too, so that two parts never equal one.
  void add(std::string_view part) noexcept;
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// The cache's scratch folder while one process uses it: empty at first, removed at the end, also
/// when Ctrl-C comes in between, which waits for that. What a killed process leaves there, the next
/// one removes.
class Workbench {
 public:
  Workbench(Workbench&&) noexcept = default;
  Workbench& operator=(Workbench&&) = delete;
  ~Workbench();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  friend class CacheFolder;
  Workbench(std::unique_ptr<HeldSignals> held, File lock, std::string path)
      : held_(std::move(held)), lock_(std::move(lock)), path_(std::move(path)) {}
  std::unique_ptr<HeldSignals> held_;
  File lock_;
  std::string path_;
};

/// A folder. Several processes may use it at once.
class CacheFolder {
 public:
  /// $XDG_CACHE_HOME/lares/lab, else $HOME/.cache/lares/lab; made if it is not there.
  static Result<CacheFolder> open();
  static Result<CacheFolder> open_at(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The path of an entry, whether it is there or not.
  [[nodiscard]] std::string path_of(std::string_view name) const;

  /// The entry, open for reading. If it is not there, `fill` writes it into an empty file, which
  /// gets its name only when it is complete. `name` has no slash; its part before the last '-' is
  /// its kind: entries of that kind which nobody used for a month are removed.
  Result<File> find_or_make(const std::string& name,
                            const std::function<std::optional<Error>(const File&)>& fill) const;

  /// Waits for another process that has it; says so to `progress`.
  [[nodiscard]] Result<Workbench> workbench(Progress& progress) const;

 private:
  explicit CacheFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace lares::lab
