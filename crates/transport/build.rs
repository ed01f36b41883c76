//! The web app's build is embedded; where it has not been built yet, an empty one is.

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all("../../apps/web/dist")?;
    // Unoptimised builds read the files from disk as they are.
    let embedded = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    println!(
        "cargo::rerun-if-changed={}",
        if embedded {
            "../../apps/web/dist"
        } else {
            "build.rs"
        }
    );
    Ok(())
}
