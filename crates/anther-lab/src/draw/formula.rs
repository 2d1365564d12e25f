//! Hash functions of worked examples: formulas in x, such as 2x+3.
//!
//! Sums of products of whole numbers and powers of x. All of it is computed modulo the number of
//! bits, so nothing overflows however large x is.

use std::fmt;
use std::str::FromStr;

/// A hash function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    minus: bool,
    factors: Vec<Factor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Factor {
    base: Base,
    power: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    X,
    Number(u64),
}

impl Formula {
    /// The position of a key among this many positions.
    pub fn position(&self, x: u64, positions: u64) -> u64 {
        let modulus = u128::from(positions.max(1));
        let value = |factor: &Factor| {
            let base = match factor.base {
                Base::X => x,
                Base::Number(number) => number,
            };
            power(u128::from(base), factor.power, modulus)
        };
        let sum = self.terms.iter().fold(0, |sum, term| {
            let product =
                term.factors.iter().fold(1 % modulus, |all, factor| all * value(factor) % modulus);
            (sum + if term.minus { modulus - product } else { product }) % modulus
        });
        u64::try_from(sum).unwrap_or(0)
    }
}

/// A power modulo something below 2⁶⁴.
fn power(base: u128, mut exponent: u64, modulus: u128) -> u128 {
    let (mut square, mut result) = (base % modulus, 1 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % modulus;
        }
        square = square * square % modulus;
        exponent >>= 1;
    }
    result
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Formula {
    type Err = String;

    fn from_str(text: &str) -> Result<Formula, String> {
        let mut reader = Reader { text, at: 0 };
        let terms = reader.sum().map_err(|cause| {
            let column = text[..reader.at].chars().count() + 1;
            format!(
                "{cause} at character {column}; a formula is made of x and whole numbers with \
                 + - * ^, such as 2x+3"
            )
        })?;
        let shown = text.chars().filter(|c| !c.is_whitespace()).collect();
        Ok(Formula { text: shown, terms })
    }
}

/// Reads a formula from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn sum(&mut self) -> Result<Vec<Term>, String> {
        let mut terms = Vec::new();
        loop {
            let minus = self.take('-');
            if !minus && !self.take('+') && !terms.is_empty() {
                return match self.peek() {
                    None => Ok(terms),
                    Some(other) => Err(format!("unexpected {other:?}")),
                };
            }
            terms.push(Term { minus, factors: self.product()? });
        }
    }

    fn product(&mut self) -> Result<Vec<Factor>, String> {
        let mut factors = vec![self.factor()?];
        // 2x is a product as 2*x is; two numbers side by side are one.
        while self.take('*') || matches!(self.peek(), Some('x' | 'X')) {
            factors.push(self.factor()?);
        }
        Ok(factors)
    }

    fn factor(&mut self) -> Result<Factor, String> {
        let base = match self.peek() {
            Some('x' | 'X') => {
                self.at += 1;
                Base::X
            }
            Some(_) => Base::Number(self.number()?),
            None => return Err("x or a number is missing".to_string()),
        };
        let power = if self.take('^') { self.number()? } else { 1 };
        Ok(Factor { base, power })
    }

    fn number(&mut self) -> Result<u64, String> {
        let Some(first) = self.peek() else { return Err("a number is missing".to_string()) };
        let rest = &self.text[self.at..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return Err(format!("unexpected {first:?}"));
        }
        let number =
            rest[..digits].parse().map_err(|_| format!("the number is above {}", u64::MAX))?;
        self.at += digits;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(formula: &str, x: u64, positions: u64) -> u64 {
        formula.parse::<Formula>().unwrap().position(x, positions)
    }

    #[test]
    fn formulas_are_computed_modulo_the_bits() {
        assert_eq!(at("x", 12, 10), 2);
        assert_eq!(at("2x+3", 9, 10), 1);
        assert_eq!(at("3*x + 7", 4, 10), 9);
        assert_eq!(at("x^2+1", 5, 10), 6);
        assert_eq!(at("-x", 3, 10), 7);
        assert_eq!(at("x - 5", 3, 10), 8);
        assert_eq!(at("x*x*x-x^3", 77, 1000), 0);
        assert_eq!(at("2x^2-3x+1", 5, 100), 36);
        assert_eq!(at("7", 5, 10), 7);
        assert_eq!(at("x^0", 0, 10), 1);
        assert_eq!(at("x^18446744073709551615", 3, 1), 0);
        // Fermat: x^(p-1) is 1 modulo a prime; 2^64 - 59 is one.
        let prime = u64::MAX - 58;
        assert_eq!(at(&format!("x^{}", prime - 1), u64::MAX - 100, prime), 1);
        assert_eq!(at("18446744073709551615x", u64::MAX, 10), 5);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (formula, cause) in [
            ("", "x or a number is missing at character 1"),
            ("2y+3", "unexpected 'y' at character 2"),
            ("2x+", "x or a number is missing at character 4"),
            ("2x3", "unexpected '3' at character 3"),
            ("(x+1)", "unexpected '(' at character 1"),
            ("x^", "a number is missing at character 3"),
            ("x^x", "unexpected 'x' at character 3"),
            ("x%10", "unexpected '%' at character 2"),
            ("xé", "unexpected 'é' at character 2"),
            ("18446744073709551616", "the number is above 18446744073709551615 at character 1"),
            ("x + + 2", "unexpected '+' at character 5"),
        ] {
            let error = formula.parse::<Formula>().unwrap_err();
            assert!(error.starts_with(cause), "{formula}: {error}");
            assert!(error.contains("2x+3"), "{error}");
        }
    }
}
