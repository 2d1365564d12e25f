import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Lookups in filters of the kinds classic, blocked and ribbon.
 *
 * <p>Left out: the section `recipe` and hashes made elsewhere; files that have them are refused.
 */
final class Kinds {
    private static final byte[] CHECK =
            "anther key check: tells a wrong key from the right one".getBytes(StandardCharsets.US_ASCII);
    private static final int[] ODD = {
        0x6A09E667, 0xBB67AE85, 0x3C6EF373, 0xA54FF53B, 0x510E527F, 0x9B05688D, 0x1F83D9AB, 0x5BE0CD19,
        0xCBBB9D5D, 0x629A292B, 0x9159015B, 0x152FECD9, 0x67332667, 0x8EB44A87, 0xDB0C2E0D, 0x47B5481D};

    /** A kind's name and section, and its fields with their ranges, unsigned. */
    private record Kind(String name, String section, Map<String, long[]> ranges) {}

    private static final Map<Integer, Kind> KINDS = Map.of(
            1, new Kind("classic", "bits", Map.of("bits", new long[] {1, 1L << 46}, "probes", new long[] {1, 64})),
            2, new Kind("blocked", "lines", Map.of("lines", new long[] {1, 1L << 37}, "probes", new long[] {1, 16})),
            17, new Kind("ribbon", "ribbon", Map.of(
                    "columns", new long[] {0, 60}, "shards", new long[] {0, -1}, "items", new long[] {0, 1L << 48})));
    private static final Map<String, long[]> ALL =
            Map.of("inserted", new long[] {0, -1}, "target.items", new long[] {1, 1L << 48});

    private record Shard(long starts, long narrow, long thresholds, long words) {}

    private record Layer(long draw, List<Shard> shards) {}

    final String kind;
    final boolean open;
    final Map<String, Long> fields = new java.util.HashMap<>();
    private final byte[] row, recipe, secret;
    private final long seed;
    private final List<Layer> layers = new ArrayList<>();
    private long thresholds, blocks; // Where they begin in the row, in bytes.

    Kinds(byte[] data, byte[] key) throws Refused {
        var file = new Container(data);
        Kind of = KINDS.get(file.kind);
        Refused.unless(of != null && List.of(of.section).equals(List.copyOf(file.sections.keySet())), "kind or sections");
        Refused.unless(file.lengths.get(of.section).form() == 0, "a coded section");
        kind = of.name;
        open = file.open;
        seed = file.seed;
        row = file.sections.get(of.section);
        for (var field : file.fields.entrySet()) {
            String name = field.getKey();
            long[] range = of.ranges.getOrDefault(name, ALL.get(name));
            long value = field.getValue().value();
            double rate = Double.longBitsToDouble(value);
            boolean isRate = name.equals("target.fpr") && field.getValue().form() == 2 && rate >= 1e-18 && rate < 1;
            Refused.unless(isRate || range != null && field.getValue().form() == 1
                    && Long.compareUnsigned(value, range[0]) >= 0 && Long.compareUnsigned(value, range[1]) <= 0, name);
            fields.put(name, value);
        }
        boolean target = fields.containsKey("target.items");
        // All known and none twice: so their number says whether one is missing.
        Refused.unless(fields.containsKey("inserted") && target == fields.containsKey("target.fpr")
                && fields.size() == of.ranges.size() + (target ? 3 : 1), "fields");
        secret = file.hash == 1 ? key : null;
        Refused.unless(file.hash == 0 || file.hash == 1 && key != null && key.length == 16
                && Hashes.siphash(key, CHECK, 0) == seed, "hash or secret key");
        recipe = file.recipe;
        Refused.unless(recipe.length == 0 || switch (recipe[0] >> 4) {
            case 0 -> recipe.length == 1;
            case 1 -> recipe.length == 6 && Hashes.u32(recipe, 2) > 0;
            case 2 -> recipe.length > 1 && isUtf8(Arrays.copyOfRange(recipe, 2, recipe.length));
            default -> false;
        }, "recipe");
        Refused.unless(switch (kind) {
            case "classic" -> hasBits();
            case "blocked" -> row.length == fields.get("lines") * 64;
            default -> readDirectory();
        }, "section");
    }

    private static boolean isUtf8(byte[] data) {
        return Arrays.equals(data, new String(data, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
    }

    private boolean hasBits() {
        long bits = fields.get("bits");
        return row.length == (bits + 63) / 64 * 8 && Hashes.u64(row, row.length - 8) >>> (bits - 1) % 64 >>> 1 == 0;
    }

    private boolean readDirectory() {
        long columns = fields.get("columns"), count = fields.get("shards"), last = 1, words = 0, levels = 0;
        if (Long.compareUnsigned(count, row.length / 8) > 0) {
            return false;
        }
        for (int number = 0; number < count; number++) {
            long entry = Hashes.u64(row, 8 * number);
            long all = entry & 0x7FFFFFF, narrow = entry >>> 27 & 0x7FFFFFF, draw = entry >>> 54 & 511;
            if (narrow > all || (last == 1 ? draw == 0 && !layers.isEmpty() : draw > 0) || words > row.length) {
                return false;
            }
            if (last == 1) {
                layers.add(new Layer(draw, new ArrayList<>()));
            }
            last = entry >>> 63;
            long starts = all == 0 ? 0 : 64 * (all - 1) + 1;
            layers.get(layers.size() - 1).shards.add(new Shard(starts, narrow, levels, words));
            levels += (starts + 191) / 192;
            words += all * columns + all - narrow;
        }
        thresholds = 8 * count;
        blocks = 8 * (count + (levels + 31) / 32);
        return last == 1 && layers.size() <= 40 && row.length == blocks + 8 * words
                && (levels % 32 == 0 || Hashes.u64(row, (int) blocks - 8) >>> 2 * (levels % 32) == 0);
    }

    /** Whether a key may be in: bytes, an integer (a Long) or a tuple (a List). */
    boolean contains(Object key) throws Refused {
        return containsHash(Hashes.keyHash(recipe.length == 0 ? key : byRule(key), seed, secret));
    }

    private byte[] byRule(Object key) throws Refused {
        Refused.unless(key instanceof byte[], "the rule of the file takes text");
        String text = new String((byte[]) key, StandardCharsets.ISO_8859_1);
        if ((recipe[0] & 2) != 0) {
            text = text.replaceAll("^[ \\t\\n\\f\\r]+|[ \\t\\n\\f\\r]+\\z", "");
        }
        if ((recipe[0] & 8) != 0) {
            Refused.unless(text.matches("([0-9a-fA-F]{2})*"), "hexadecimal digits");
            return HexFormat.of().parseHex(text);
        }
        byte[] data = text.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < data.length && (recipe[0] & 4) != 0; i++) {
            data[i] += data[i] >= 'A' && data[i] <= 'Z' ? 32 : 0;
        }
        return data;
    }

    boolean containsHash(long h) {
        if (kind.equals("ribbon")) {
            return inRibbon(h);
        }
        for (long bit : positions(kind, fields, h)) {
            if ((row[(int) (bit >> 3)] >> (bit & 7) & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private boolean inRibbon(long x) {
        for (var layer : layers) {
            x = layer.draw > 0 ? Hashes.again(x, layer.draw) : x;
            long count = layer.shards.size();
            var shard = layer.shards.get((int) Hashes.scale(x, count));
            if (shard.starts > 0) {
                long start = Hashes.scale(x * count, shard.starts), at = shard.thresholds + start / 192;
                int level = row[(int) (thresholds + at / 4)] >> at % 4 * 2 & 3;
                if (start % 192 >= new int[] {0, 24, 48, 192}[level]) {
                    return holds(x, start, shard);
                }
            }
        }
        return false;
    }

    private boolean holds(long x, long start, Shard shard) {
        long ones = Hashes.again(x, 1024) | 1, value = Hashes.again(x, 1025), block = start / 64, shift = start % 64;
        for (int j = 0; j < fields.get("columns") + (block >= shard.narrow ? 1 : 0); j++) {
            long slots = column(shard, block, j) >>> shift;
            slots |= shift == 0 ? 0 : column(shard, block + 1, j) << 64 - shift;
            if ((Long.bitCount(slots & ones) & 1) != (value >>> j & 1)) {
                return false;
            }
        }
        return true;
    }

    private long column(Shard shard, long block, int j) {
        long at = shard.words + block * fields.get("columns") + Math.max(0, block - shard.narrow) + j;
        return Hashes.u64(row, (int) (blocks + 8 * at));
    }

    /** The bits of a key in the section of classic or blocked. */
    static List<Long> positions(String kind, Map<String, Long> sizes, long h) {
        var found = new ArrayList<Long>();
        long x = h, y = Long.rotateLeft(h, 32) * Hashes.GOLDEN;
        int u = (int) (h * Hashes.GOLDEN >>> 32);
        for (int i = 0; i < sizes.get("probes"); i++) {
            if (kind.equals("blocked")) {
                found.add(Hashes.scale(h, sizes.get("lines")) * 512 + (u * ODD[i] >>> 23));
                continue;
            }
            found.add(Hashes.scale(x, sizes.get("bits")));
            x += y;
            y = Long.rotateLeft(y, 5) + Hashes.GOLDEN;
        }
        return found;
    }
}
