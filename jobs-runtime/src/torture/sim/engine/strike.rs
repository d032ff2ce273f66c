//! What a blow does to the processes of a run, and when the next one falls.

use super::super::blows::Blow;
use super::Engine;
use crate::clock::Clock;
use crate::torture::history::What;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Engine {
    pub(super) fn plan(&mut self, after: Duration, blow: Blow) {
        self.planned += 1;
        let at = self.time.monotonic() + after;
        self.due.insert((at, self.planned), blow);
    }

    pub(super) fn next_blow(&mut self) {
        let after = self.blows.pause(self.climate.blow_pause);
        let blow = self.blows.draw();
        self.plan(after, blow);
    }

    pub(super) fn strike(&mut self, blow: Blow) -> io::Result<()> {
        let now = self.time.monotonic();
        match blow {
            Blow::Resume(index) => self.resume(index),
            Blow::Start(index) => self.start(index)?,
            _ if self.weather.is_calm() => {}
            Blow::CutStore(span) => self.weather.cut_store(now + span),
            Blow::Jump(index, millis) => {
                self.skews[index].store(millis, Ordering::Relaxed);
            }
            Blow::Mute(index, span) => self.weather.mute(index, now + span),
            Blow::Cut(index, cut) => self.processes[index].cut = Some(cut),
            Blow::Kill(index, span) => self.kill(index, span),
            Blow::Pause(index, span) => self.pause(index, span),
            Blow::Stop(index) => {
                let alive = self.processes[index].alive.as_mut();
                if let Some(stop) = alive.and_then(|alive| alive.stop.take()) {
                    // An error says that it has ended already.
                    let _ = stop.send(());
                }
            }
        }
        let is_end = matches!(blow, Blow::Resume(_) | Blow::Start(_));
        if !is_end && !self.weather.is_calm() {
            self.next_blow();
        }
        Ok(())
    }

    pub(super) fn kill(&mut self, index: usize, span: Duration) {
        if self.processes[index].alive.is_some() {
            self.end(index);
            self.plan(span, Blow::Start(index));
        }
    }

    pub(super) fn pause(&mut self, index: usize, span: Duration) {
        let process = &mut self.processes[index];
        if process.alive.is_some() && !process.paused {
            process.paused = true;
            self.log.write(What::Paused(process.life));
            self.plan(span, Blow::Resume(index));
        }
    }

    pub(super) fn resume(&mut self, index: usize) {
        let process = &mut self.processes[index];
        if std::mem::take(&mut process.paused) {
            self.log.write(What::Resumed(process.life));
        }
    }

    /// Kills a process, if it lives.
    pub(super) fn end(&mut self, index: usize) {
        let process = &mut self.processes[index];
        process.paused = false;
        process.cut = None;
        if let Some(alive) = process.alive.take() {
            drop(alive);
            self.log.write(What::Killed(process.life));
        }
    }
}
