//! A worker that dies after any commit leaves each child once.

use super::*;

/// Cuts the store off after its n-th commit, whose answer is lost, until it is mended.
#[derive(Clone, Default)]
struct Cut(Arc<Mutex<(usize, bool)>>);

impl Cut {
    fn after(commits: usize) -> Self {
        Cut(Arc::new(Mutex::new((commits, false))))
    }

    /// True if the store had been cut off.
    fn mend(&self) -> bool {
        let mut cut = self.0.lock().unwrap();
        cut.0 = usize::MAX;
        std::mem::take(&mut cut.1)
    }

    fn gone() -> Result<(), Error> {
        Err(Error::driver_unavailable("test", "cut off", "wait"))
    }
}

impl StoreHook for Cut {
    fn before(&self, _: Verb) -> Result<(), Error> {
        match self.0.lock().unwrap().1 {
            true => Cut::gone(),
            false => Ok(()),
        }
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        let mut cut = self.0.lock().unwrap();
        if verb != Verb::Commit {
            return Ok(());
        }
        cut.0 -= 1;
        if cut.0 > 0 {
            return Ok(());
        }
        cut.1 = true;
        Cut::gone()
    }
}

#[job(idempotency = "child-crash:{input}")]
async fn child_crash(input: u64) -> Result<(String, String)> {
    step!("before", after_polls(1, ())).await?;
    let sent = step!(
        "notify",
        job = child_parcel(parcel(input + 100)).attempts(5),
        detached
    )
    .await?;
    let pair = tokio::try_join!(
        step!("one", job = child_parcel(parcel(input)).attempts(5)),
        step!("two", job = child_parcel(parcel(input + 1)).attempts(5)),
    )?;
    let sent = sent.id();
    step!("after:{sent}", after_polls(1, ())).await?;
    Ok(pair)
}

#[tokio::test]
async fn a_worker_that_dies_after_any_commit_leaves_each_child_once() {
    let mut cuts = 0;
    for commits in 1.. {
        let (bench, log) = bench();
        let cut = Cut::after(commits);
        let bench = bench.hooked(cut.clone());
        let handle = child_crash(1).enqueue(bench.jobs()).await.unwrap();
        let drained = bench.drain().await;
        let was_cut = cut.mend();
        assert_eq!(drained.is_err(), was_cut);
        // The leases of the dead worker run out.
        bench.advance(HOUR).await.unwrap();
        assert_eq!(state_of(&bench, handle.id()).await, JobState::Done);
        let pair = bench.jobs().wait(&handle).await.unwrap();
        assert_eq!(pair, ("parcel 1".into(), "parcel 2".into()), "{commits}");
        assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 3);
        for id in [1, 2, 101] {
            let times = log.count(&format!("delivered {id}"));
            assert!((1..=2).contains(&times), "{commits}: {id}");
        }
        if !was_cut {
            break;
        }
        cuts += 1;
    }
    assert!(cuts >= 8, "only {cuts} commits were cut");
}
