import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the reader by vectors.json of the folder in its argument; exits with 1 on the first mismatch. */
final class Check {
    private static final Set<String> NAMES = Set.of("classic", "blocked", "ribbon");
    private static final Map<String, Long> COUNTS = new LinkedHashMap<>();
    private static Path kit;

    private static void expect(String what, Object got, Object expected) {
        if (!got.equals(expected)) {
            System.err.println("java: " + what + ": got " + got + ", expected " + expected);
            System.exit(1);
        }
    }

    private static void count(String what, long by) {
        COUNTS.merge(what, by, Long::sum);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static List<?> list(Object value) {
        return value == null ? List.of() : (List<?>) value;
    }

    private static byte[] hex(Object text) {
        return text == null ? null : HexFormat.of().parseHex((String) text);
    }

    private static long word(Object text) {
        return text == null ? 0 : Long.parseUnsignedLong((String) text, 16);
    }

    private static Object key(Object entry) {
        var form = map(entry).entrySet().iterator().next();
        Object value = form.getValue();
        switch (form.getKey()) {
            case "text": return ((String) value).getBytes(StandardCharsets.UTF_8);
            case "bytes": return hex(value);
            case "integer": return new BigInteger((String) value).longValue();
            case "integer128": return Hashes.integer128(new BigInteger((String) value));
            case "tuple": return list(value).stream().map(Check::key).toList();
            case "ramp":
                byte[] data = new byte[((Long) value).intValue()];
                for (int i = 0; i < data.length; i++) {
                    data[i] = (byte) (i % 251);
                }
                return data;
            default: throw new IllegalArgumentException("a key of form " + form.getKey());
        }
    }

    private static byte[] file(Object name) throws Exception {
        return Files.readAllBytes(kit.resolve((String) name));
    }

    private static boolean isRefused(byte[] data, byte[] secret) {
        try {
            new Kinds(data, secret);
            return false;
        } catch (Refused refused) {
            return true;
        }
    }

    private static void lookup(String name, Kinds filter, Object key, String says) {
        String got;
        try {
            got = filter.contains(key) ? "maybe" : "no";
        } catch (Refused refused) {
            got = "refused";
        }
        String shown = key instanceof byte[] data ? new String(data, StandardCharsets.ISO_8859_1) : key.toString();
        expect(name + ": " + shown, got, says);
        count("lookups", 1);
    }

    private static void checkFile(Map<String, Object> entry, Map<String, List<?>> sets) throws Exception {
        String name = (String) entry.get("file");
        byte[] data = file(name), secret = hex(entry.get("secret"));
        if (list(entry.get("sections")).stream().anyMatch(section -> list(section).get(0).equals("recipe"))) {
            expect(name, isRefused(data, secret), true);
            count("left out", 1);
            return;
        }
        var filter = new Kinds(data, secret);
        expect(name + ": kind", filter.kind, entry.get("kind"));
        expect(name + ": open", filter.open, entry.containsKey("open"));
        var fields = new HashMap<String, Long>();
        list(entry.get("fields")).forEach(field -> fields.put((String) list(field).get(0), word(list(field).get(2))));
        expect(name + ": fields", filter.fields, fields);
        count("files", 1);
        long at = 0;
        for (Object set : list(entry.get("holds"))) {
            for (Object key : sets.get(set)) {
                lookup(name, filter, key(key), list(entry.get("forgotten")).contains(at++) ? "no" : "maybe");
            }
        }
        for (String group : List.of("numbered", "absent")) {
            var of = map(entry.getOrDefault(group, Map.of("count", 0L)));
            var maybe = new java.util.HashSet<Object>(list(of.get("maybe")));
            for (long number = 0; number < (Long) of.get("count"); number++) {
                byte[] key = (of.get("prefix") + " " + number).getBytes(StandardCharsets.UTF_8);
                lookup(name, filter, key, !of.containsKey("maybe") || maybe.contains(number) ? "maybe" : "no");
            }
        }
        for (Object lookup : list(entry.get("lookups"))) {
            List<?> parts = list(map(lookup).get("parts")).stream().map(Check::hex).toList();
            lookup(name, filter, parts.size() == 1 ? parts.get(0) : parts, (String) map(lookup).get("says"));
        }
        for (Object read : list(entry.get("reads"))) {
            if (map(read).containsKey("cells")) {
                var got = Kinds.positions(filter.kind, filter.fields, word(map(read).get("hash")));
                expect(name + ": cells", got, map(read).get("cells"));
                count("positions", 1);
            }
        }
        for (int i = 0; i < data.length && !filter.open; i += data.length < 1000 ? 1 : 7) {
            byte[] changed = data.clone();
            changed[i] ^= 1 << i % 8;
            expect(name + ": up to byte " + i + " refused", isRefused(java.util.Arrays.copyOf(data, i), secret), true);
            expect(name + ": byte " + i + " changed, refused", isRefused(changed, secret), true);
            count("changed", 2);
        }
    }

    public static void main(String[] args) throws Exception {
        kit = Path.of(args[0]);
        var vectors = map(Json.parse(Files.readString(kit.resolve("vectors.json"))));
        expect("version", vectors.get("version"), 1L);
        var seeds = list(vectors.get("seeds"));
        for (Object entry : list(vectors.get("hashes"))) {
            for (int i = 0; i < seeds.size(); i++) {
                var seed = map(seeds.get(i));
                long got = Hashes.keyHash(key(map(entry).get("key")), word(seed.get("seed")), hex(seed.get("secret")));
                expect("hash of " + map(entry).get("key"), got, word(list(map(entry).get("values")).get(i)));
                count("hashes", 1);
            }
        }
        for (Object entry : list(vectors.get("positions"))) {
            String kind = (String) map(entry).get("kind");
            if (NAMES.contains(kind)) {
                var sizes = new HashMap<String, Long>();
                map(entry).forEach((name, value) -> {
                    if (value instanceof Long size) {
                        sizes.put(name, size);
                    }
                });
                var got = Kinds.positions(kind, sizes, word(map(entry).get("hash")));
                expect("positions in " + kind, got, map(entry).get("positions"));
                count("positions", 1);
            }
        }
        var sets = new HashMap<String, List<?>>();
        list(vectors.get("sets")).forEach(set -> sets.put((String) map(set).get("name"), list(map(set).get("keys"))));
        for (Object entry : list(vectors.get("files"))) {
            if (NAMES.contains((String) map(entry).get("kind"))) {
                checkFile(map(entry), sets);
            }
        }
        for (Object entry : list(vectors.get("refused"))) {
            expect(map(entry).get("file") + ": refused", isRefused(file(map(entry).get("file")), null), true);
            count("refused", 1);
        }
        var counts = new ArrayList<String>();
        for (String what : List.of("hashes", "positions", "files", "lookups", "refused", "changed", "left out")) {
            expect(what + " were checked", COUNTS.containsKey(what), true);
            counts.add(COUNTS.get(what) + " " + what);
        }
        System.out.println("java: " + String.join(", ", counts) + ": all as expected");
    }
}
