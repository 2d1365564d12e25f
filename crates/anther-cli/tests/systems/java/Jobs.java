import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Filters of one library, made and queried on request: one job per line of standard input, its words between tabs.
 * Many jobs per process, since a JVM takes longer to start than most of them.
 *
 * <pre>
 * write  FORMAT FORM ITEMS FPR KEYS OUT  makes a filter of a list of keys
 * answer FORMAT FORM FILTER KEYS OUT     answers every key of a list: a character 1 or 0 each
 * </pre>
 */
abstract class Jobs {
    /** A filter that the library has made or read. */
    interface Filter {
        void put(Object key) throws IOException;

        boolean mightContain(Object key);

        void writeTo(Path file) throws IOException;
    }

    abstract Filter make(String format, String form, long items, double fpr) throws Exception;

    abstract Filter read(String format, String form, Path file) throws Exception;

    void run() throws Exception {
        BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
            String[] job = line.split("\t");
            if (job[0].equals("write")) {
                Filter filter = make(job[1], job[2], Long.parseLong(job[3]), Double.parseDouble(job[4]));
                for (Object key : keys(Path.of(job[5]), job[2])) {
                    filter.put(key);
                }
                filter.writeTo(Path.of(job[6]));
            } else if (job[0].equals("answer")) {
                Filter filter = read(job[1], job[2], Path.of(job[3]));
                StringBuilder answers = new StringBuilder();
                for (Object key : keys(Path.of(job[4]), job[2])) {
                    answers.append(filter.mightContain(key) ? '1' : '0');
                }
                Files.writeString(Path.of(job[5]), answers);
            } else {
                throw new IllegalArgumentException(line);
            }
        }
    }

    /** The lines of a file as keys. Only LF ends a line, and an empty line is a key. */
    static List<Object> keys(Path list, String form) throws IOException {
        String text = Files.readString(list, StandardCharsets.UTF_8);
        String[] lines = text.substring(0, text.length() - 1).split("\n", -1);
        return Arrays.stream(lines).map(line -> key(line, form)).toList();
    }

    private static Object key(String line, String form) {
        return switch (form) {
            case "text", "utf16" -> line;
            case "int32" -> Integer.valueOf(line);
            case "int64" -> Long.valueOf(line);
            case "hex" -> HexFormat.of().parseHex(line);
            default -> throw new IllegalArgumentException(form);
        };
    }
}
