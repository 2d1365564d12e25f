// anther.hpp - the C interface as C++17: filters close themselves, failures are
// exceptions. Everything else is as anther.h says.
#pragma once

#include <anther.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace anther {

class error : public std::runtime_error {
  public:
    explicit error(const anther_error &cause) : std::runtime_error(cause.text), code_(cause.code) {}
    int code() const noexcept { return code_; }

  private:
    int code_;
};

// A filter that cannot be copied, only moved. Lookups are const: any number of
// threads may call them at once.
class filter {
  public:
    filter(const char *kind, std::uint64_t items, double fpr, const char *options = nullptr,
           const std::uint8_t *secret = nullptr) {
        make([&](auto out, auto e) { return anther_new(kind, items, fpr, secret, options, out, e); });
    }

    static filter open(const std::string &path, std::uint32_t flags = 0,
                       const std::uint8_t *secret = nullptr) {
        filter opened;
        opened.make([&](auto out, auto e) { return anther_open(path.c_str(), secret, flags, out, e); });
        return opened;
    }

    static filter build(const char *kind, const std::vector<std::uint64_t> &keys, double fpr,
                        std::uint32_t threads = 0) {
        filter built;
        built.make([&](auto out, auto e) {
            return anther_build_u64(kind, keys.data(), keys.size(), fpr, nullptr, nullptr, threads, out, e);
        });
        return built;
    }

    bool contains(std::string_view key) const {
        return check([&](auto e) { return anther_contains(get(), bytes(key), key.size(), e); });
    }
    bool contains(std::uint64_t key) const {
        return check([&](auto e) { return anther_contains_u64(get(), key, e); });
    }
    std::vector<std::uint8_t> contains_many(const std::vector<std::uint64_t> &keys,
                                            std::uint32_t threads = 0) const {
        std::vector<std::uint8_t> found(keys.size());
        check([&](auto e) {
            return anther_contains_many_u64(get(), keys.data(), keys.size(), found.data(), threads, e);
        });
        return found;
    }

    // True if the key is certainly new.
    bool insert(std::string_view key) {
        return check([&](auto e) { return anther_insert(get(), bytes(key), key.size(), e); });
    }
    bool insert(std::uint64_t key) {
        return check([&](auto e) { return anther_insert_u64(get(), key, e); });
    }
    void merge(const filter &other) {
        check([&](auto e) { return anther_merge(get(), other.get(), e); });
    }
    void save(const std::string &path) const {
        check([&](auto e) { return anther_save(get(), path.c_str(), e); });
    }
    anther_info info() const {
        anther_info info{};
        info.size = sizeof info;
        check([&](auto e) { return anther_filter_info(get(), &info, e); });
        return info;
    }

    // For the functions of anther.h that have no method here.
    anther_filter *get() const noexcept { return filter_.get(); }

  private:
    struct close {
        void operator()(anther_filter *filter) const noexcept { anther_close(filter); }
    };
    std::unique_ptr<anther_filter, close> filter_;

    filter() = default;

    static const std::uint8_t *bytes(std::string_view key) noexcept {
        return reinterpret_cast<const std::uint8_t *>(key.data());
    }
    template <class Call> static bool check(Call call) {
        anther_error cause;
        const int result = call(&cause);
        if (result == ANTHER_MEMORY) throw std::bad_alloc();
        if (result < 0) throw error(cause);
        return result > 0;
    }
    template <class Call> void make(Call call) {
        anther_filter *made = nullptr;
        check([&](auto e) { return call(&made, e); });
        filter_.reset(made);
    }
};

}  // namespace anther
