// Looks keys up in the filters of a column of a Parquet file, with Arrow's own reader of them, which pyarrow brings
// but does not offer to Python.
//
// filters FILE COLUMN FORM KEYS prints a line per row group: a character 1 or 0 for each key, - without a filter.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

namespace {

std::string from_hex(const std::string& line) {
  std::string bytes;
  for (size_t at = 0; at < line.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(line.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

bool find(const parquet::BloomFilter& filter, const std::string& form, const std::string& line) {
  if (form == "int32") return filter.FindHash(filter.Hash(static_cast<int32_t>(std::stol(line))));
  if (form == "int64") return filter.FindHash(filter.Hash(static_cast<int64_t>(std::stoll(line))));
  if (form == "double") return filter.FindHash(filter.Hash(std::strtod(line.c_str(), nullptr)));
  if (form != "text" && form != "hex") throw std::invalid_argument(form);
  const std::string bytes = form == "hex" ? from_hex(line) : line;
  const parquet::ByteArray value(static_cast<uint32_t>(bytes.size()), reinterpret_cast<const uint8_t*>(bytes.data()));
  return filter.FindHash(filter.Hash(&value));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: filters FILE COLUMN FORM KEYS\n";
    return 2;
  }
  std::vector<std::string> keys;
  std::ifstream list(argv[4]);
  for (std::string line; std::getline(list, line);) keys.push_back(line);

  const auto file = parquet::ParquetFileReader::OpenFile(argv[1]);
  const int column = file->metadata()->schema()->ColumnIndex(argv[2]);
  for (int group = 0; group < file->metadata()->num_row_groups(); ++group) {
    const auto groups = file->GetBloomFilterReader().RowGroup(group);
    const auto filter = groups ? groups->GetColumnBloomFilter(column) : nullptr;
    for (const auto& key : keys) std::cout << (filter ? "01"[find(*filter, argv[3], key)] : '-');
    std::cout << '\n';
  }
}
