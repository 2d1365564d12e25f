//! A service: its messages, and the lines that it writes.

use super::words;
use super::write::{decimal, hexadecimal, push, timestamp};
use crate::random::{Random, mix, scale};

/// How many services there are; each has its own messages, classes and paths.
pub const SERVICES: u64 = 40;
/// Messages per service.
const MESSAGES: u64 = 48;
/// Clients, users and objects that come back, in any service.
const CLIENTS: u64 = 4000;

const LEVELS: [&str; 8] = ["INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "ERROR"];

/// What varies in a message.
#[derive(Clone, Copy)]
enum Field {
    /// `key=` and a number below a power of ten.
    Number(&'static str, u64),
    /// A client's address and port.
    Address,
    /// Who asked: comes back.
    User,
    /// A path of the service's interface, with the id of an object that comes back.
    Path,
    /// New each time, 36 characters.
    Request,
    /// A span of a trace: new each time, 16 hexadecimal digits.
    Span,
}

/// A message of a service: words that never change, then fields.
struct Message {
    level: &'static str,
    class: String,
    words: String,
    fields: Vec<Field>,
    /// Whether a stack trace follows.
    traced: bool,
}

/// What one program writes.
pub struct Service {
    name: String,
    messages: Vec<Message>,
    /// Cumulated weights of the messages, as shares of 2⁶⁴.
    shares: Vec<u64>,
    nouns: Vec<&'static str>,
}

impl Service {
    pub fn new(seed: u64, number: u64) -> Service {
        let mut random = Random::new(seed);
        let names: Vec<&str> = words::SERVICES.split(' ').collect();
        let kind = if number < SERVICES / 2 { "" } else { "-worker" };
        let name = format!("{}{kind}", names[number as usize % names.len()]);
        let words = Words::new();
        let messages: Vec<Message> =
            (0..MESSAGES).map(|_| Message::new(&mut random, &name, &words)).collect();
        let weights: Vec<f64> =
            (0..MESSAGES).map(|rank| 1.0 / (1.0 + rank as f64).powf(1.1)).collect();
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let shares = weights.iter().map(|weight| {
            sum += weight;
            (sum / total * 2f64.powi(64)) as u64
        });
        Service { name, shares: shares.collect(), messages, nouns: words.nouns }
    }

    /// Appends a line, and perhaps a stack trace.
    pub fn line(
        &self,
        text: &mut Vec<u8>,
        random: &mut Random,
        time: u64,
        host: &str,
        process: u64,
    ) {
        let draw = random.draw();
        let rank = self.shares.partition_point(|share| *share < draw).min(self.messages.len() - 1);
        let message = &self.messages[rank];
        timestamp(text, time);
        push(text, &[" ", host, " ", &self.name, "["]);
        decimal(text, process, 1);
        push(text, &["]: ", message.level, " ", &message.class, " - ", &message.words]);
        for field in &message.fields {
            self.field(text, random, *field);
        }
        text.push(b'\n');
        // One in four errors of a kind that has traces comes with one.
        if message.traced && random.draw().is_multiple_of(4) {
            self.trace(text, random, message);
        }
    }

    fn field(&self, text: &mut Vec<u8>, random: &mut Random, field: Field) {
        match field {
            Field::Number(key, below) => {
                push(text, &[" ", key, "="]);
                // Small numbers are frequent: a product of two uniform ones.
                decimal(text, scale(random.draw(), scale(random.draw(), below) + 1), 1);
            }
            Field::Address => {
                let client = mix(zipf(random, CLIENTS) ^ MESSAGES);
                push(text, &[" client=10"]);
                for byte in [client >> 8 & 15, client >> 16 & 255, client >> 24 & 255] {
                    text.push(b'.');
                    decimal(text, byte, 1);
                }
            }
            Field::User => {
                push(text, &[" user=u"]);
                decimal(text, mix(zipf(random, CLIENTS)) % 1_000_000, 1);
            }
            Field::Path => {
                let object = mix(zipf(random, CLIENTS) ^ 77);
                push(text, &[" path=/api/v2/", self.nouns[(object % 7) as usize], "s/"]);
                decimal(text, object >> 32 & 0xF_FFFF, 1);
                push(text, &["/", self.nouns[(object % 5 + 20) as usize]]);
            }
            Field::Request => {
                push(text, &[" request_id="]);
                let (high, low) = (random.draw(), random.draw());
                for (value, digits) in
                    [(high >> 32, 8), (high >> 16, 4), (high, 4), (low >> 48, 4), (low, 12)]
                {
                    hexadecimal(text, value, digits);
                    text.push(b'-');
                }
                text.pop();
            }
            Field::Span => {
                push(text, &[" span="]);
                hexadecimal(text, random.draw(), 16);
            }
        }
    }

    fn trace(&self, text: &mut Vec<u8>, random: &mut Random, message: &Message) {
        push(text, &["java.lang.IllegalStateException: ", &message.words, "\n"]);
        // The same place throws: a class of this service and its callers.
        for depth in 0..6 + random.draw() % 6 {
            let at = &self.messages[(mix(depth) % MESSAGES) as usize];
            push(text, &["\tat com.example.", &self.name, ".", &at.class, ".handle("]);
            push(text, &[at.class.rsplit('.').next().unwrap_or_default(), ".java:"]);
            decimal(text, mix(depth ^ MESSAGES) % 900, 1);
            push(text, &[")\n"]);
        }
    }
}

struct Words {
    nouns: Vec<&'static str>,
    verbs: Vec<&'static str>,
    endings: Vec<&'static str>,
    keys: Vec<&'static str>,
    classes: Vec<&'static str>,
}

impl Words {
    fn new() -> Words {
        let list = |words: &'static str| words.split(' ').collect();
        Words {
            nouns: list(words::NOUNS),
            verbs: list(words::VERBS),
            endings: words::ENDINGS.split(", ").collect(),
            keys: list(words::KEYS),
            classes: list(words::CLASSES),
        }
    }
}

impl Message {
    fn new(random: &mut Random, service: &str, words: &Words) -> Message {
        let mut one = |of: &[&'static str]| of[scale(random.draw(), of.len() as u64) as usize];
        let (noun, kind) = (one(&words.nouns), one(&words.classes));
        let level = one(&LEVELS);
        let package = &service[..service.len().min(7)];
        let class = format!("c.e.{package}.{}{kind}", capital(noun));
        let subject = format!("{} {}", capital(one(&words.nouns)), one(&words.nouns));
        let text = format!("{subject} {} {}", one(&words.verbs), one(&words.endings));
        let mut fields = Vec::new();
        for _ in 0..1 + random.draw() % 3 {
            let draw = random.draw();
            let key = words.keys[(draw >> 32) as usize % words.keys.len()];
            fields.push(match draw % 20 {
                0..12 => Field::Number(key, 10u64.pow(1 + (draw >> 8) as u32 % 4)),
                12..14 => Field::Address,
                14..16 => Field::User,
                16..19 => Field::Path,
                _ => Field::Request,
            });
        }
        if random.draw().is_multiple_of(12) {
            fields.push(Field::Span);
        }
        Message { level, class, words: text, fields, traced: level == "ERROR" }
    }
}

/// A rank below `of`; rank r is drawn about 1/(r + 1) as often as the first.
fn zipf(random: &mut Random, of: u64) -> u64 {
    let uniform = random.draw() as f64 / 2f64.powi(64);
    ((of as f64 + 1.0).powf(uniform) - 1.0) as u64
}

fn capital(word: &str) -> String {
    format!("{}{}", word[..1].to_uppercase(), &word[1..])
}
