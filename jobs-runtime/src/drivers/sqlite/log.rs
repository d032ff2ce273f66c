//! Whether the log of a store that nobody closed still holds all that was acknowledged, looked at
//! before SQLite reads it.
//!
//! SQLite takes a log up to the first frame that does not fit, in silence: after a power cut what
//! follows was never acknowledged. After damage it was, and the store would open with jobs
//! missing. Two things tell the one from the other. A transaction is synced before the next one
//! begins, so what a power cut tears has no whole transaction after it. And the index beside the
//! log, which outlives a killed process, counts only frames that were synced.
//!
//! Not here: what is wrong inside the file itself, for which SQLite has checks.

use super::log_files::{Looks, beside};
use crate::Error;
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The first bytes of a log; the last bit tells the byte order of its sums.
const MAGIC: u32 = 0x377f_0682;
/// One of the two copies of the header of an index.
const INDEX_HEADER_BYTES: usize = 48;
/// How often the files are read until two looks in a row show the same: others may be writing.
const LOOK_LIMIT: usize = 5;

/// Refuses a log that lost what it held. With weak durability a power cut may do that by itself,
/// so then nobody asks.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let mut looks = Looks::at(path);
    let mut before = None;
    for _ in 0..LOOK_LIMIT {
        let Some((log, index)) = looks.next() else {
            return Ok(());
        };
        let Some(flaw) = flaw(&log, index.as_deref()) else {
            return Ok(());
        };
        let seen = (flaw, first(&log, HEADER_BYTES), index);
        if before.as_ref() == Some(&seen) {
            return Err(damaged(path, &seen.0));
        }
        before = Some(seen);
    }
    Ok(())
}

fn damaged(path: &Path, flaw: &str) -> Error {
    Error::store_corrupt(format_args!(
        "{}: {flaw} in {}, and writes that were acknowledged are lost with it",
        path.display(),
        beside(path, "-wal").display()
    ))
    .with_fix(
        "stop the workers and copy all files of the store; then restore a backup, or open the \
         store once with `allow_weak_durability=true`, which goes on with what is left, and see \
         what `jobs_runtime::doctor` finds",
    )
}

fn first(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes.iter().take(count).copied().collect()
}

/// What is wrong with a log, given the index beside it.
fn flaw(log: &[u8], index: Option<&[u8]>) -> Option<String> {
    let index = index.and_then(Index::read);
    let open = index
        .as_ref()
        .is_some_and(|index| index.copied < index.frames);
    let Some(header) = Header::read(log) else {
        let lost = open
            || SIZES
                .iter()
                .any(|size| goes_on(&frames(log, *size, Order::Little)))
            || SIZES
                .iter()
                .any(|size| goes_on(&frames(log, *size, Order::Big)));
        return lost.then(|| "the header is missing or damaged".into());
    };
    let frames = frames(log, header.page_bytes, header.order);
    let whole = frames
        .iter()
        .scan(header.sum, |sum, frame| {
            let fits = frame.salt == header.salt && frame.follows(*sum, header.order);
            *sum = frame.sum;
            fits.then_some(())
        })
        .count();
    let index = index.filter(|index| open && index.salt == header.salt);
    if index.is_some_and(|index| index.frames > whole) || goes_on_with(&frames[whole..], &header) {
        return Some(format!("frame {} is missing or damaged", whole + 1));
    }
    None
}

/// Whether a transaction ends among these frames and another of the same log is whole after it.
fn goes_on_with(frames: &[Frame<'_>], header: &Header) -> bool {
    let same = |frame: &Frame<'_>| frame.salt == header.salt;
    let mut pairs = frames.windows(2).enumerate();
    pairs.any(|(at, pair)| {
        pair[0].ends
            && pair.iter().all(same)
            && pair[1].follows(pair[0].sum, header.order)
            && ends_whole(&frames[at + 1..], header.order)
    })
}

/// Whether the transaction that begins these frames comes to its end.
fn ends_whole(frames: &[Frame<'_>], order: Order) -> bool {
    for (at, frame) in frames.iter().enumerate() {
        if at > 0 && !frame.follows(frames[at - 1].sum, order) {
            return false;
        }
        if frame.ends {
            return true;
        }
    }
    false
}

/// Whether two frames fit each other, in a log whose header tells nothing.
fn goes_on(frames: &[Frame<'_>]) -> bool {
    frames
        .windows(2)
        .any(|pair| pair[0].salt == pair[1].salt && pair[1].follows(pair[0].sum, pair[1].order))
}

/// The sizes a page can have.
const SIZES: [usize; 8] = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536];

type Sum = (u32, u32);

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Big,
    Little,
}

struct Header {
    order: Order,
    page_bytes: usize,
    salt: [u8; 8],
    sum: Sum,
}

impl Header {
    fn read(log: &[u8]) -> Option<Header> {
        let bytes = log.get(..HEADER_BYTES)?;
        let magic = big(bytes, 0)?;
        let order = match magic {
            MAGIC => Order::Little,
            _ if magic == MAGIC | 1 => Order::Big,
            _ => return None,
        };
        let sum = (big(bytes, 24)?, big(bytes, 28)?);
        let page_bytes = usize::try_from(big(bytes, 8)?).ok()?;
        let fits = summed((0, 0), &bytes[..24], order) == sum && SIZES.contains(&page_bytes);
        fits.then_some(Header {
            order,
            page_bytes,
            salt: bytes[16..24].try_into().ok()?,
            sum,
        })
    }
}

/// One page as it was written.
struct Frame<'a> {
    order: Order,
    /// It is the last of a transaction.
    ends: bool,
    salt: [u8; 8],
    /// Over all frames up to this one, as it says itself.
    sum: Sum,
    head: &'a [u8],
    page: &'a [u8],
}

impl Frame<'_> {
    fn follows(&self, before: Sum, order: Order) -> bool {
        let head = summed(before, &self.head[..8], order);
        summed(head, self.page, order) == self.sum
    }
}

/// All frames that are there in full, whether they fit or not.
fn frames(log: &[u8], page_bytes: usize, order: Order) -> Vec<Frame<'_>> {
    let rest = log.get(HEADER_BYTES..).unwrap_or_default();
    let whole = rest.chunks_exact(FRAME_HEADER_BYTES + page_bytes);
    whole
        .filter_map(|frame| {
            let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
            Some(Frame {
                order,
                ends: big(head, 4)? != 0,
                salt: head[8..16].try_into().ok()?,
                sum: (big(head, 16)?, big(head, 20)?),
                head,
                page,
            })
        })
        .collect()
}

/// What the index says of the log.
struct Index {
    /// Frames of whole transactions.
    frames: usize,
    /// Those of them that are in the file as well.
    copied: usize,
    salt: [u8; 8],
}

impl Index {
    fn read(index: &[u8]) -> Option<Index> {
        let (one, other) = index.split_at_checked(INDEX_HEADER_BYTES)?;
        let native = if cfg!(target_endian = "big") {
            Order::Big
        } else {
            Order::Little
        };
        let own = |at: usize| Some(u32::from_ne_bytes(one.get(at..at + 4)?.try_into().ok()?));
        let fits = other.starts_with(one)
            && one[12] == 1
            && summed((0, 0), &one[..40], native) == (own(40)?, own(44)?);
        let copied = other.get(INDEX_HEADER_BYTES..INDEX_HEADER_BYTES + 4)?;
        let copied = u32::from_ne_bytes(copied.try_into().ok()?);
        fits.then_some(Index {
            frames: usize::try_from(own(16)?).ok()?,
            copied: usize::try_from(copied).ok()?,
            salt: one[32..40].try_into().ok()?,
        })
    }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// SQLite's running sum, over pairs of words.
fn summed(mut sum: Sum, bytes: &[u8], order: Order) -> Sum {
    let word = |four: &[u8]| {
        let four = [four[0], four[1], four[2], four[3]];
        match order {
            Order::Big => u32::from_be_bytes(four),
            Order::Little => u32::from_le_bytes(four),
        }
    };
    for pair in bytes.chunks_exact(8) {
        sum.0 = sum.0.wrapping_add(word(&pair[..4])).wrapping_add(sum.1);
        sum.1 = sum.1.wrapping_add(word(&pair[4..])).wrapping_add(sum.0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log and the index of a store with so many transactions that nobody closed.
    fn left(transactions: u32) -> (Vec<u8>, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let set = "PRAGMA journal_mode = WAL; CREATE TABLE t (a TEXT)";
        connection.execute_batch(set).unwrap();
        for _ in 1..transactions {
            let long = "x".repeat(9_000);
            connection
                .execute("INSERT INTO t VALUES (?1)", [long])
                .unwrap();
        }
        let read = |end| std::fs::read(beside(&path, end)).unwrap();
        (read("-wal"), read("-shm"))
    }

    #[test]
    fn a_log_as_it_was_left_has_no_flaw() {
        let (log, index) = left(5);
        assert_eq!(flaw(&log, Some(&index)), None);
        assert_eq!(flaw(&log, None), None);
        assert_eq!(flaw(&[], None), None);
    }

    #[test]
    fn a_log_cut_in_its_last_transaction_is_what_a_power_cut_leaves() {
        let (log, _) = left(5);
        assert_eq!(flaw(&log[..log.len() - 1], None), None);
    }

    #[test]
    fn an_index_that_counts_more_frames_shows_that_the_log_was_cut() {
        let (log, index) = left(5);
        for keep in [0, 31, 32, log.len() / 2, log.len() - 1] {
            assert!(flaw(&log[..keep], Some(&index)).is_some(), "{keep} bytes");
        }
    }

    #[test]
    fn an_index_of_another_log_says_nothing() {
        let ((log, _), (_, index)) = (left(5), left(9));
        assert_eq!(flaw(&log, Some(&index)), None);
    }

    #[test]
    fn a_bit_that_changed_before_a_later_transaction_is_seen_without_an_index() {
        let (log, _) = left(5);
        let last = log.len() - 4 * (FRAME_HEADER_BYTES + 4_096);
        for at in (0..last / 2).step_by(101) {
            let mut log = log.clone();
            log[at] ^= 4;
            assert!(flaw(&log, None).is_some(), "byte {at}");
        }
    }

    #[test]
    fn what_an_older_round_of_the_log_left_behind_is_no_flaw() {
        let (log, _) = left(5);
        let frame = FRAME_HEADER_BYTES + 4_096;
        let (kept, old) = log.split_at(HEADER_BYTES + 2 * frame);
        let mut log = kept.to_vec();
        for frame in old.chunks(frame) {
            let mut frame = frame.to_vec();
            frame[8] ^= 1;
            log.extend(frame);
        }
        assert_eq!(flaw(&log, None), None);
    }

    /// Whoever can write to the folder has chosen these bytes.
    #[test]
    fn any_bytes_are_looked_at_without_harm() {
        let (log, index) = left(3);
        for at in 0..HEADER_BYTES + 2 * FRAME_HEADER_BYTES {
            for byte in [0, 1, 0x7F, 0xFF] {
                let (mut log, mut index) = (log.clone(), index.clone());
                log[at] = byte;
                index[at] = byte;
                flaw(&log, Some(&index));
                flaw(&log[..at], Some(&index[..at]));
                flaw(&index, Some(&log));
            }
        }
    }
}
