import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.util.sketch.BloomFilter;

/** Filters of Spark. */
final class SparkJobs extends Jobs {
    public static void main(String[] args) throws Exception {
        new SparkJobs().run();
    }

    @Override
    Filter make(String format, String form, long items, double fpr) {
        BloomFilter.Version version = format.equals("spark1") ? BloomFilter.Version.V1 : BloomFilter.Version.V2;
        long bits = BloomFilter.optimalNumOfBits(items, fpr);
        return filter(BloomFilter.create(version, items, bits, 0));
    }

    @Override
    Filter read(String format, String form, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return filter(BloomFilter.readFrom(in));
        }
    }

    /** Strings, integers and bytes each have a method of their own, which `put` chooses. */
    private static Filter filter(BloomFilter filter) {
        return new Filter() {
            @Override
            public void put(Object key) {
                filter.put(key);
            }

            @Override
            public boolean mightContain(Object key) {
                return filter.mightContain(key);
            }

            @Override
            public void writeTo(Path file) throws IOException {
                try (OutputStream out = Files.newOutputStream(file)) {
                    filter.writeTo(out);
                }
            }
        };
    }
}
