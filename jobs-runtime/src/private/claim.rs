//! The claim on a durable name between crates: a symbol that the linker refuses twice. In the
//! message of the linker stand both sections, and so both places.

/// `claim!("job" "welcome")`: a module of its own, because its object file is only linked if
/// something in it is, and that is the `#[used]` anchor beside the symbol.
#[doc(hidden)]
#[macro_export]
macro_rules! __jobs_claim {
    ($kind:literal $name:literal) => {
        // A test harness links the crate under test a second time; Miri has no linker.
        #[cfg(all(not(test), not(miri)))]
        mod __claim {
            #[used]
            static ANCHOR: u8 = 0;

            // ELF, with an assembler that reads quoted names.
            #[cfg(all(
                any(target_os = "linux", target_os = "android", target_os = "freebsd"),
                any(
                    target_arch = "x86_64",
                    target_arch = "x86",
                    target_arch = "aarch64",
                    target_arch = "arm",
                    target_arch = "riscv64"
                )
            ))]
            ::core::arch::global_asm!(
                ::core::concat!(
                    ".pushsection \".rodata.[",
                    $kind,
                    " defined in crate ",
                    ::core::env!("CARGO_PKG_NAME"),
                    " ",
                    ::core::env!("CARGO_PKG_VERSION"),
                    " at ",
                    ::core::file!(),
                    ":",
                    ::core::line!(),
                    "]\", \"aR\", %progbits"
                ),
                ::core::concat!(".globl \"", $kind, " name already taken: ", $name, "\""),
                ::core::concat!(
                    ".type \"",
                    $kind,
                    " name already taken: ",
                    $name,
                    "\", %object"
                ),
                ::core::concat!("\"", $kind, " name already taken: ", $name, "\":"),
                ".byte 0",
                ".popsection"
            );

            // Elsewhere a symbol without blanks, which break the linking of a cdylib.
            #[cfg(not(all(
                any(target_os = "linux", target_os = "android", target_os = "freebsd"),
                any(
                    target_arch = "x86_64",
                    target_arch = "x86",
                    target_arch = "aarch64",
                    target_arch = "arm",
                    target_arch = "riscv64"
                )
            )))]
            #[used]
            #[unsafe(export_name = concat!($kind, "_name_already_taken.", $name))]
            static CLAIM: [u8; 0] = [];
        }
    };
}
