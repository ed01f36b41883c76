//! The web app's build is embedded; where it has not been built yet, an empty one is.

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all("../../apps/web/dist")?;
    println!("cargo::rerun-if-changed=../../apps/web/dist");
    Ok(())
}
