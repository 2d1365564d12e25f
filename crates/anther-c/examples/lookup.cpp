// Point lookups in tables as a storage engine has them: several sorted tables of
// keys and values, newest first, each with its filter. Without a filter, a lookup
// of an absent key reads a block of every table.
//
//     lookup TABLE... < keys
//
// TABLE is a file of pairs of 64-bit little-endian numbers, sorted by key, and
// TABLE.anther its filter. Prints how many blocks were read, and compares every
// answer with the tables themselves. Exit codes: 0 all is well; 1 a wrong
// answer; 2 an error.
#include <anther.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <utility>

using Pair = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::size_t kBlock = 4096 / 16;

class Table {
  public:
    explicit Table(const std::string &path)
        : filter_(anther::filter::open(path + ".anther", ANTHER_OPEN_MAP)), file_(path, std::ios::binary) {
        if (!file_) throw std::runtime_error("cannot read " + path);
        // A real engine keeps the first key of each block; so do we, and no more.
        for (std::size_t at = 0;; at++) {
            const auto block = read(at);
            if (block.empty()) break;
            first_.push_back(block.front().first);
        }
        reads = 0;
    }

    std::optional<std::uint64_t> get(std::uint64_t key) {
        if (!filter_.contains(key)) return std::nullopt;
        return search(key);
    }

    // The truth: without the filter.
    std::optional<std::uint64_t> search(std::uint64_t key) {
        const auto after = std::upper_bound(first_.begin(), first_.end(), key);
        if (after == first_.begin()) return std::nullopt;
        const auto block = read(static_cast<std::size_t>(after - first_.begin() - 1));
        const auto at = std::lower_bound(block.begin(), block.end(), Pair(key, 0));
        if (at == block.end() || at->first != key) return std::nullopt;
        return at->second;
    }

    std::size_t reads = 0;

  private:
    std::vector<Pair> read(std::size_t number) {
        char bytes[kBlock * 16];
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(number * sizeof bytes));
        file_.read(bytes, sizeof bytes);
        reads++;
        std::vector<Pair> pairs(static_cast<std::size_t>(file_.gcount()) / 16);
        for (std::size_t at = 0; at < pairs.size(); at++) {
            pairs[at] = {word(bytes + 16 * at), word(bytes + 16 * at + 8)};
        }
        return pairs;
    }

    static std::uint64_t word(const char *bytes) {
        std::uint64_t word = 0;
        for (int at = 7; at >= 0; at--) word = word << 8 | static_cast<unsigned char>(bytes[at]);
        return word;
    }

    anther::filter filter_;
    std::ifstream file_;
    std::vector<std::uint64_t> first_;
};

static std::optional<std::uint64_t> lookup(std::vector<Table> &tables, std::uint64_t key, bool filtered) {
    for (auto &table : tables) {
        if (const auto value = filtered ? table.get(key) : table.search(key)) return value;
    }
    return std::nullopt;
}

static std::size_t reads(std::vector<Table> &tables) {
    std::size_t all = 0;
    for (auto &table : tables) all += std::exchange(table.reads, 0);
    return all;
}

int main(int argc, char **argv) try {
    std::vector<Table> tables;
    for (int at = 1; at < argc; at++) tables.emplace_back(argv[at]);
    std::size_t keys = 0, wrong = 0, with = 0, without = 0;
    for (std::uint64_t key; std::cin >> key; keys++) {
        const auto value = lookup(tables, key, true);
        with += reads(tables);
        wrong += value != lookup(tables, key, false);
        without += reads(tables);
    }
    std::cout << keys << " keys, " << tables.size() << " tables: " << with << " blocks read, " << without
              << " without filters, " << wrong << " wrong answers\n";
    return wrong > 0 || with > without ? 1 : 0;
} catch (const anther::error &error) {
    std::cerr << "lookup: " << error.what() << " (" << error.code() << ")\n";
    return 2;
} catch (const std::exception &error) {
    std::cerr << "lookup: " << error.what() << '\n';
    return 2;
}
