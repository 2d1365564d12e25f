import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of the vectors, which has no escapes in its texts and no fractions in its numbers. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Maps, Lists, Strings, Longs and Booleans. */
    static Object parse(String text) {
        return new Json(text).value();
    }

    private char next() {
        while (" \n,:".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return text.charAt(at);
    }

    private String until(String ends) {
        int from = at;
        while (ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }

    private Object value() {
        switch (next()) {
            case '{' -> {
                at++;
                Map<String, Object> map = new LinkedHashMap<>();
                while (next() != '}') {
                    map.put((String) value(), value());
                }
                at++;
                return map;
            }
            case '[' -> {
                at++;
                List<Object> list = new ArrayList<>();
                while (next() != ']') {
                    list.add(value());
                }
                at++;
                return list;
            }
            case '"' -> {
                at++;
                String found = until("\"");
                at++;
                return found;
            }
            default -> {
                String found = until(",]}\n");
                return found.equals("true") ? Boolean.TRUE : (Object) Long.valueOf(found);
            }
        }
    }
}
