import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.api.Binary;

/**
 * Looks keys up in the filters of a column with parquet-java, which Spark reads Parquet with. The arguments are
 * {@code FILE COLUMN FORM KEYS}. Prints a line per row group: a character 1 or 0 for each key, - without a filter.
 */
final class ParquetGroups {
    public static void main(String[] args) throws Exception {
        List<Object> keys = Jobs.keys(Path.of(args[3]), args[2]);
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(args[0]);
        try (ParquetFileReader file = ParquetFileReader.open(HadoopInputFile.fromPath(path, new Configuration()))) {
            for (BlockMetaData group : file.getFooter().getBlocks()) {
                BloomFilter filter = file.getBloomFilterDataReader(group).readBloomFilter(column(group, args[1]));
                StringBuilder answers = new StringBuilder();
                for (Object key : keys) {
                    answers.append(filter == null ? '-' : filter.findHash(hash(filter, key)) ? '1' : '0');
                }
                System.out.println(answers);
            }
        }
    }

    private static ColumnChunkMetaData column(BlockMetaData group, String name) {
        return group.getColumns().stream()
            .filter(column -> column.getPath().toDotString().equals(name))
            .findFirst()
            .orElseThrow();
    }

    private static long hash(BloomFilter filter, Object key) {
        if (key instanceof Integer number) {
            return filter.hash((int) number);
        }
        if (key instanceof Long number) {
            return filter.hash((long) number);
        }
        if (key instanceof byte[] bytes) {
            return filter.hash(Binary.fromConstantByteArray(bytes));
        }
        return filter.hash(Binary.fromString((String) key));
    }
}
