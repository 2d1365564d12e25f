//! What all pictures share: their colours, their font, and how wide text is in it.

/// The font, and what stands in for it where an SVG is looked at without it. It is a wide font:
/// text that has room in it has room in the others.
pub const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), ordered so that
/// neighbours differ in grey, too. Their yellow is left out: on white nobody sees it.
pub const COLOURS: [[u8; 3]; 6] =
    [[0, 114, 178], [230, 159, 0], [0, 0, 0], [204, 121, 167], [0, 158, 115], [213, 94, 0]];

/// A colour as SVG has it.
pub fn rgb([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text as it stands in SVG: no markup, and no control characters, of which XML allows hardly any.
pub fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Thick or thin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Bold,
}

/// How wide text is in the font, without kerning, which is a few per cent at most.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let advances = match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    };
    let advance = |c: char| {
        let at = u32::from(c).checked_sub(u32::from(' ')).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| advances.get(at)).copied().unwrap_or(BEYOND_ASCII)
    };
    size * text.chars().map(|c| f64::from(advance(c))).sum::<f64>() / UNITS_PER_EM
}

const UNITS_PER_EM: f64 = 2048.0;
/// Wider than most letters that are not in the tables.
const BEYOND_ASCII: u16 = 1716;
/// The advance widths of DejaVu Sans 2.37 from the space to the tilde. With these a program lays
/// out text without carrying the font.
const REGULAR: [u16; 95] = [
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048,
    1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235,
    1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024,
    1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300,
    1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
];
/// The same of DejaVu Sans Bold.
const BOLD: [u16; 95] = [
    713, 934, 1067, 1716, 1425, 2052, 1786, 627, 936, 936, 1071, 1716, 778, 850, 778, 748, 1425,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819, 819, 1716, 1716, 1716, 1188, 2048,
    1585, 1561, 1503, 1700, 1399, 1399, 1681, 1714, 762, 762, 1587, 1305, 2038, 1714, 1741, 1501,
    1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579, 1483, 1485, 936, 748, 936, 1716, 1024, 1024,
    1382, 1466, 1214, 1466, 1389, 891, 1466, 1458, 702, 702, 1362, 702, 2134, 1458, 1407, 1466,
    1466, 1010, 1219, 979, 1458, 1335, 1892, 1321, 1335, 1192, 1458, 748, 1458, 1716,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Fifty of each character, laid out by the renderer in the real font; with bars between them,
    /// which are not kerned.
    #[test]
    fn widths_are_those_of_the_font() {
        for (weight, name) in [(Weight::Regular, "normal"), (Weight::Bold, "bold")] {
            for c in ' '..='~' {
                let text = format!("|{}", format!("{c}|").repeat(50));
                let laid_out = crate::png::text_width(&text, 20, name);
                let ours = width(&text, 20.0, weight);
                assert!((laid_out - ours).abs() < 8.0, "{c:?} {name}: {laid_out}, not {ours}");
            }
        }
    }
}
