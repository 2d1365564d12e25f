/** A file or a key that the format does not allow, or that this reader does not know. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String why) {
        super(why);
    }

    static void unless(boolean condition, String why) throws Refused {
        if (!condition) {
            throw new Refused(why);
        }
    }
}
