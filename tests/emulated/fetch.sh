#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fetch.sh ARCHITECTURE FOLDER: Debian packages of that architecture, unpacked to
#
#   FOLDER/root        the guest's file system, and what the cross compiler links against
#   FOLDER/kernel      Debian's own kernel
#   FOLDER/initrd      busybox, the modules that reach the shared folders, init
#
# apt works on a state of its own below FOLDER and checks signatures and hashes; nothing
# is installed on this machine and nothing of the packages is run. What is there already
# and was made from the same list is kept.
set -eu
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")"
here=$(pwd)
. ./architectures/"$1".sh
suite=bookworm
want=$(cat fetch.sh init guest-packages.txt architectures/"$1".sh | cksum)
[ "$(cat "$folder/stamp" 2> /dev/null)" != "$want" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# The mirrors of this machine, of which it may know more than we do, else Debian's.
mirrors() {
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2> /dev/null |
		awk -v suite=$suite '$3 == "main" && $2 ~ "^" suite "(-updates|-security)?$" { print $1, $2 }' | sort -u
}
sources() {
	{ mirrors | grep . || printf '%s\n' "http://deb.debian.org/debian $suite" "http://deb.debian.org/debian $suite-updates" \
		"http://deb.debian.org/debian-security $suite-security"; } |
		sed 's|.*|deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & main|'
}

private_apt() {
	mkdir -p apt/lists/partial apt/cache/archives/partial apt/none
	: > apt/status
	sources > apt/sources.list
	cat > apt/apt.conf <<-END
	APT::Architecture "$debian"; APT::Architectures { "$debian"; }; APT::Sandbox::User "root";
	Acquire::Languages "none"; Acquire::http::Timeout "20"; Acquire::Retries "1"; APT::Update::Error-Mode "any";
	Dir::State "$folder/apt"; Dir::State::lists "$folder/apt/lists"; Dir::State::status "$folder/apt/status";
	Dir::Cache "$folder/apt/cache"; Dir::Etc::sourcelist "$folder/apt/sources.list";
	Dir::Etc::sourceparts "$folder/apt/none"; Dir::Etc::preferencesparts "$folder/apt/none";
	END
	export APT_CONFIG="$folder/apt/apt.conf"
	apt-get -qq update > apt/log 2>&1 && return
	# A mirror's security index for a rare architecture can be out of step.
	sed -i -e /-security/d -e /-updates/d apt/sources.list
	apt-get -qq update
}

unpack() {
	image=$(apt-cache depends "$kernel" | awk '/Depends: linux-image/ { print $2; exit }')
	mkdir packages root image
	(cd packages && apt-get -qq download "$image" $(sed 's/#.*//' "$here/guest-packages.txt" | awk 'NF { print $1 }') ${packages:-})
	dpkg-deb -x packages/"$image"_*.deb image
	rm packages/"$image"_*.deb
	for package in packages/*.deb; do dpkg-deb -x "$package" root; done
	rm -r packages
}

# Absolute links of the root would lead the cross compiler out of it.
relative_links() {
	find root -type l -lname '/*' | while read -r link; do
		ln -snfr "root$(readlink "$link")" "$link"
	done
}

# A PC unpacks its kernel itself, which takes ten seconds when it is emulated: QEMU starts the bare ELF file too.
bare_kernel() {
	start=$(LC_ALL=C grep -obUaP '\xfd7zXZ\x00' image/boot/vmlinuz-* | head -n 1 | cut -d: -f1)
	tail -c +$((start + 1)) image/boot/vmlinuz-* | xz -dc --single-stream > kernel
}

module_file() { find image/lib/modules -name "$(echo "$1" | sed 's/[-_]/[-_]/g').ko*"; }

# A module after those it needs; what is built into the kernel has no file.
add_module() {
	grep -qx "$1" initrd.d/modules/order && return
	[ -n "$(module_file "$1")" ] || return 0
	for needed in $(modinfo -F depends "$(module_file "$1")" | tr , ' '); do add_module "$needed"; done
	case $(module_file "$1") in
	*.xz) xz -dc "$(module_file "$1")" ;;
	*) cat "$(module_file "$1")" ;;
	esac > initrd.d/modules/"$1".ko
	echo "$1" >> initrd.d/modules/order
}

initrd() {
	mkdir -p initrd.d/bin initrd.d/modules initrd.d/root
	: > initrd.d/modules/order
	for module in virtio_pci 9pnet_virtio 9p overlay; do add_module $module; done
	cp root/bin/busybox initrd.d/bin/
	cp "$here/init" initrd.d/init
	chmod 755 initrd.d/init
	(cd initrd.d && find . | cpio --quiet -o -H newc -R 0:0) > initrd
}

private_apt
unpack
relative_links
if [ "$debian" = amd64 ]; then bare_kernel; else cp image/boot/vmlinu[xz]-* kernel; fi
initrd
rm -rf image initrd.d apt
echo "$want" > stamp
