import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Filters of Guava, with the funnel that belongs to each form of keys. */
final class GuavaJobs extends Jobs {
    public static void main(String[] args) throws Exception {
        new GuavaJobs().run();
    }

    @Override
    Filter make(String format, String form, long items, double fpr) throws Exception {
        if (format.equals("guava64")) {
            return filter(BloomFilter.create(funnel(form), items, fpr));
        }
        // Guava still reads the old strategy, but offers no way to choose it.
        Class<?> strategies = Class.forName("com.google.common.hash.BloomFilterStrategies");
        Class<?> strategy = Class.forName("com.google.common.hash.BloomFilter$Strategy");
        Method create = BloomFilter.class.getDeclaredMethod(
            "create", Funnel.class, long.class, double.class, strategy);
        create.setAccessible(true);
        Object old = strategies.getEnumConstants()[0];
        @SuppressWarnings("unchecked")
        BloomFilter<Object> made = (BloomFilter<Object>) create.invoke(null, funnel(form), items, fpr, old);
        return filter(made);
    }

    @Override
    Filter read(String format, String form, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return filter(BloomFilter.readFrom(in, funnel(form)));
        }
    }

    private static Filter filter(BloomFilter<Object> filter) {
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

    @SuppressWarnings("unchecked")
    private static Funnel<Object> funnel(String form) {
        return (Funnel<Object>) switch (form) {
            case "text" -> Funnels.stringFunnel(StandardCharsets.UTF_8);
            case "utf16" -> Funnels.unencodedCharsFunnel();
            case "int32" -> Funnels.integerFunnel();
            case "int64" -> Funnels.longFunnel();
            case "hex" -> Funnels.byteArrayFunnel();
            default -> throw new IllegalArgumentException(form);
        };
    }
}
