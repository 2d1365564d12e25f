//! A cache of pages that drops the least recently requested one.

use std::collections::{HashMap, VecDeque};

pub(in crate::demo) struct Cache {
    room: usize,
    pages: HashMap<String, (Vec<u8>, u64)>,
    /// When pages were requested; only the latest request of a page counts.
    order: VecDeque<(String, u64)>,
    time: u64,
}

impl Cache {
    /// An empty cache with room for `room` pages.
    pub(in crate::demo) fn new(room: usize) -> Cache {
        Cache { room, pages: HashMap::new(), order: VecDeque::new(), time: 0 }
    }

    /// A page, for somebody whose request does not count.
    pub(in crate::demo) fn get(&self, url: &str) -> Option<Vec<u8>> {
        self.pages.get(url).map(|(page, _)| page.clone())
    }

    /// A page that is requested.
    pub(in crate::demo) fn request(&mut self, url: &str) -> Option<Vec<u8>> {
        self.time += 1;
        let (page, time) = self.pages.get_mut(url)?;
        *time = self.time;
        self.order.push_back((url.to_string(), self.time));
        Some(page.clone())
    }

    /// Keeps a page that was requested. Returns the pages that were dropped for it, or `None` if
    /// it was here already.
    pub(in crate::demo) fn insert(&mut self, url: &str, page: Vec<u8>) -> Option<Vec<String>> {
        self.order.push_back((url.to_string(), self.time));
        if self.pages.insert(url.to_string(), (page, self.time)).is_some() {
            return None;
        }
        let mut gone = Vec::new();
        while self.pages.len() > self.room {
            let Some((oldest, time)) = self.order.pop_front() else { break };
            if self.pages.get(&oldest).is_some_and(|(_, latest)| *latest == time) {
                self.pages.remove(&oldest);
                gone.push(oldest);
            }
        }
        Some(gone)
    }

    /// The URLs of all pages.
    pub(in crate::demo) fn urls(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_longest_goes() {
        let mut cache = Cache::new(2);
        for url in ["a", "b"] {
            assert_eq!(cache.request(url), None);
            assert_eq!(cache.insert(url, vec![1]), Some(Vec::new()));
        }
        assert_eq!(cache.insert("b", vec![1]), None);
        assert_eq!(cache.request("a"), Some(vec![1]));
        assert!(cache.get("b").is_some(), "does not count");
        assert_eq!(cache.request("c"), None);
        assert_eq!(cache.insert("c", vec![2]), Some(vec!["b".to_string()]));
        assert_eq!(cache.urls().count(), 2);
    }
}
