import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The container of an anther file: header, fields, sections, checksums. Of every kind.
 *
 * <p>Left out: starting again when another process opens or closes the file meanwhile.
 */
final class Container {
    /** A field: a type and a value; or a section: an encoding and a length. */
    record Entry(int form, long value) {}

    final int kind, hash;
    final long seed;
    final byte[] recipe;
    final Map<String, Entry> fields, lengths;
    final Map<String, byte[]> sections = new LinkedHashMap<>();
    final boolean open;
    private final byte[] data;
    private int at;

    Container(byte[] data) throws Refused {
        this.data = data;
        byte[] signature = "\u0089ANT\r\n\u001a\n".getBytes(StandardCharsets.ISO_8859_1);
        Refused.unless(data.length >= 64 && Arrays.equals(data, 0, 8, signature, 0, 8), "no anther file");
        Refused.unless(shortAt(8) == 1, "version");
        long header = Hashes.u32(data, 12);
        Refused.unless(header % 64 == 0 && header >= 64 && header <= Math.min(65536, data.length), "length of the header");
        int end = (int) header - 8;
        at = 32 + shortAt(22);
        Refused.unless(at <= end, "length of the recipe");
        kind = shortAt(10);
        hash = shortAt(16);
        seed = Hashes.u64(data, 24);
        recipe = Arrays.copyOfRange(data, 32, at);
        int first = at + 1 + data[at] + 1;
        fields = entries(shortAt(18), end);
        lengths = entries(shortAt(20), end);
        Refused.unless(end - at < 64 && isZero(at, end), "padding of the header");
        byte[] head = Arrays.copyOf(data, end);
        long sum = Hashes.u64(data, end);
        open = sum != Hashes.xxh3(head, 0);
        if (open) {
            boolean can = kind >= 1 && kind <= 3 && !fields.isEmpty() && fields.keySet().iterator().next().equals("inserted");
            Refused.unless(can, "checksum of the header");
            Arrays.fill(head, first, first + 8, (byte) 0);
            Refused.unless(sum == Hashes.xxh3(head, 0x6E65706FL), "checksum of the header");
        }
        var sums = new ByteArrayOutputStream();
        sums.writeBytes(Hashes.word(sum));
        at = (int) header;
        for (var entry : lengths.entrySet()) {
            long size = entry.getValue().value();
            boolean fits = Long.compareUnsigned(size, data.length - at) <= 0;
            Refused.unless(entry.getValue().form() < 2 && size % 8 == 0 && fits, "length of a section");
            byte[] row = Arrays.copyOfRange(data, at, at + (int) size);
            long next = (at + size + 63) / 64 * 64;
            Refused.unless(next <= data.length && isZero(at + (int) size, (int) next), "padding of a section");
            at = (int) next;
            sections.put(entry.getKey(), row);
            sums.writeBytes(Hashes.word(Hashes.xxh3(row, 0)));
        }
        Refused.unless(data.length - at == sums.size(), "length of the file");
        sums.writeBytes(Hashes.word(Hashes.xxh3(sums.toByteArray(), 0)));
        // Of an open file the cells change, and so do the first and the last word of the footer.
        int but = open && !sections.isEmpty() ? 8 : 0;
        byte[] all = sums.toByteArray();
        boolean same = Arrays.equals(all, 8 + but, all.length - but, data, at + but, data.length - but);
        Refused.unless(same, "checksum of a section");
    }

    private int shortAt(int at) {
        return data[at] & 255 | (data[at + 1] & 255) << 8;
    }

    private boolean isZero(int from, int to) {
        for (int i = from; i < to; i++) {
            if (data[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private Map<String, Entry> entries(int count, int end) throws Refused {
        var found = new LinkedHashMap<String, Entry>();
        for (; count > 0; count--) {
            Refused.unless(at < end && at + (data[at] & 255) + 10 <= end, "header too short");
            String name = new String(data, at + 1, data[at] & 255, StandardCharsets.ISO_8859_1);
            at += name.length() + 10;
            Refused.unless(name.matches("[a-z0-9.]+") && !found.containsKey(name), "name");
            found.put(name, new Entry(data[at - 9], Hashes.u64(data, at - 8)));
        }
        return found;
    }
}
