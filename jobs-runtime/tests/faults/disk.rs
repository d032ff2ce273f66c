//! What a disk may hold when the power goes: all that was synced, and of the rest any part.
//!
//! A sector of 512 bytes is written whole or not at all, and each for itself, so a page may be
//! torn. Cuts and new lengths of a file, and the names in the folder, may be there or not until
//! their sync was answered. Bytes that were never asked for do not come.

use crate::trace::Event;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the disk writes whole.
const SECTOR_BYTES: usize = 512;
/// What is torn apart in half of the images only: most disks write a page whole.
const PAGE_BYTES: usize = 4_096;

/// The state of the disk at one moment of a trace.
pub(crate) struct Disk {
    folder: PathBuf,
    /// What each name in the folder stands for, and what it stood for at the last sync of it.
    names: BTreeMap<PathBuf, usize>,
    synced_names: BTreeMap<PathBuf, usize>,
    names_at_begin: BTreeMap<PathBuf, usize>,
    files: Vec<Kept>,
}

/// A file: what is safe, and what was done since.
#[derive(Default)]
struct Kept {
    synced: Vec<u8>,
    since: Vec<Change>,
    /// The changes that a sync which has begun is about.
    asked: usize,
}

#[derive(Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Resize(u64),
}

impl Disk {
    pub(crate) fn new(folder: &Path) -> Self {
        Disk {
            folder: folder.to_owned(),
            names: BTreeMap::new(),
            synced_names: BTreeMap::new(),
            names_at_begin: BTreeMap::new(),
            files: Vec::new(),
        }
    }

    pub(crate) fn happen(&mut self, event: &Event) {
        match event {
            Event::Create(path) => {
                if !self.names.contains_key(path) {
                    self.names.insert(path.clone(), self.files.len());
                    self.files.push(Kept::default());
                }
            }
            Event::Remove(path) => {
                self.names.remove(path);
            }
            Event::Write(path, at, bytes) => {
                let change = Change::Write(*at, bytes.clone());
                self.changed(path, change);
            }
            Event::Resize(path, length) => self.changed(path, Change::Resize(*length)),
            Event::SyncBegun(path) if *path == self.folder => {
                self.names_at_begin = self.names.clone();
            }
            Event::SyncDone(path) if *path == self.folder => {
                self.synced_names = self.names_at_begin.clone();
            }
            Event::SyncBegun(path) => {
                if let Some(file) = self.file(path) {
                    file.asked = file.since.len();
                }
            }
            Event::SyncDone(path) => {
                if let Some(file) = self.file(path) {
                    for change in file.since.drain(..file.asked) {
                        change.apply(&mut file.synced);
                    }
                    file.asked = 0;
                }
            }
            Event::Told(_) => {}
        }
    }

    fn changed(&mut self, path: &Path, change: Change) {
        if let Some(file) = self.file(path) {
            file.since.push(change);
        }
    }

    fn file(&mut self, path: &Path) -> Option<&mut Kept> {
        let file = self.names.get(path)?;
        self.files.get_mut(*file)
    }

    /// Writes into a folder what may be found after the power went now.
    pub(crate) fn image(&self, dice: &mut Dice, into: &Path) {
        let mut names = self.synced_names.clone();
        let changed = self
            .names
            .iter()
            .filter(|(path, file)| names_not(&self.synced_names, path, file));
        let changed: Vec<_> = changed.map(|(path, file)| (path.clone(), *file)).collect();
        for (path, file) in changed {
            if dice.half() {
                names.insert(path, file);
            }
        }
        for path in self.synced_names.keys() {
            if !self.names.contains_key(path) && dice.half() {
                names.remove(path);
            }
        }
        // All, nothing, or any part of what was not synced; by the page or by the sector.
        let mood = dice.below(4);
        let unit = if dice.half() {
            PAGE_BYTES
        } else {
            SECTOR_BYTES
        };
        for (path, file) in names {
            let content = self.files[file].image(dice, mood, unit);
            std::fs::write(into.join(path.file_name().unwrap()), content).unwrap();
        }
    }
}

fn names_not(synced: &BTreeMap<PathBuf, usize>, path: &Path, file: &usize) -> bool {
    synced.get(path) != Some(file)
}

impl Kept {
    fn image(&self, dice: &mut Dice, mood: u64, unit: usize) -> Vec<u8> {
        let mut content = self.synced.clone();
        for change in &self.since {
            let reaches = |dice: &mut Dice| match mood {
                0 => false,
                1 => true,
                _ => dice.half(),
            };
            match change {
                Change::Resize(_) => {
                    if reaches(dice) {
                        change.apply(&mut content);
                    }
                }
                Change::Write(at, bytes) => {
                    for (at, part) in pieces(*at, bytes, unit) {
                        if reaches(dice) {
                            write(&mut content, at, part);
                        }
                    }
                }
            }
        }
        content
    }
}

/// A write, cut where the disk may cut it.
fn pieces(at: u64, bytes: &[u8], unit: usize) -> Vec<(u64, &[u8])> {
    let mut out = Vec::new();
    let (mut at, mut rest) = (at, bytes);
    while !rest.is_empty() {
        let within = at as usize % unit;
        let (part, after) = rest.split_at(rest.len().min(unit - within));
        out.push((at, part));
        at += part.len() as u64;
        rest = after;
    }
    out
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write(at, bytes) => write(content, *at, bytes),
            Change::Resize(length) => content.resize(*length as usize, 0),
        }
    }
}

fn write(content: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let at = at as usize;
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}

/// Numbers that follow from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn half(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "/store/jobs.db";

    fn disk(events: &[Event]) -> Disk {
        let mut disk = Disk::new(Path::new("/store"));
        disk.happen(&Event::Create(NAME.into()));
        disk.happen(&Event::SyncBegun("/store".into()));
        disk.happen(&Event::SyncDone("/store".into()));
        events.iter().for_each(|event| disk.happen(event));
        disk
    }

    fn written(at: u64, byte: u8) -> Event {
        Event::Write(NAME.into(), at, vec![byte; SECTOR_BYTES])
    }

    /// Every content that a hundred images show.
    fn seen(disk: &Disk) -> std::collections::BTreeSet<Vec<u8>> {
        let mut dice = Dice::new(1);
        (0..100)
            .map(|_| {
                let folder = crate::settings::memory_folder();
                disk.image(&mut dice, folder.path());
                std::fs::read(folder.path().join("jobs.db")).unwrap()
            })
            .collect()
    }

    #[test]
    fn what_was_synced_is_in_every_image() {
        let sync = [Event::SyncBegun(NAME.into()), Event::SyncDone(NAME.into())];
        let events = [vec![written(0, 1)], sync.to_vec()].concat();
        assert_eq!(seen(&disk(&events)), [vec![1; 512]].into());
    }

    #[test]
    fn what_was_written_after_a_sync_began_may_be_missing() {
        let events = [
            Event::SyncBegun(NAME.into()),
            written(0, 1),
            Event::SyncDone(NAME.into()),
        ];
        assert_eq!(seen(&disk(&events)), [vec![], vec![1; 512]].into());
    }

    #[test]
    fn each_sector_comes_or_not_for_itself() {
        let events = [written(0, 1), written(512, 2)];
        let both = [vec![1; 512], vec![2; 512]].concat();
        let second = [vec![0; 512], vec![2; 512]].concat();
        assert_eq!(
            seen(&disk(&events)),
            [vec![], vec![1; 512], both, second].into()
        );
    }
}
