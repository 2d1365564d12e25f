//! What proxies count.

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: u64,
    pub(super) local: u64,
    pub(super) remote: u64,
    pub(super) in_vain: u64,
    pub(super) updates: u64,
    pub(super) update_bytes: u64,
}

impl Counts {
    /// From the line that a proxy prints.
    pub(super) fn parse(line: &str) -> Option<Counts> {
        let numbers: Vec<u64> = line.split(' ').map_while(|word| word.parse().ok()).collect();
        let &[requests, local, remote, in_vain, updates, update_bytes] = &numbers[..] else {
            return None;
        };
        Some(Counts { requests, local, remote, in_vain, updates, update_bytes })
    }

    /// Adds those of another proxy.
    pub(super) fn add(&mut self, other: &Counts) {
        self.requests += other.requests;
        self.local += other.local;
        self.remote += other.remote;
        self.in_vain += other.in_vain;
        self.updates += other.updates;
        self.update_bytes += other.update_bytes;
    }

    /// Prints them for the parent.
    pub(super) fn print(&self) {
        let Counts { requests, local, remote, in_vain, updates, update_bytes } = self;
        println!("{requests} {local} {remote} {in_vain} {updates} {update_bytes}");
    }
}
